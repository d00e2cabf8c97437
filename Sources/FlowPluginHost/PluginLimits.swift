/// The limits of a plugin's program: sizes, counts and durations.
public struct PluginLimits: Sendable, Hashable {
  /// The maximum length of a protocol line, in either direction: 16 MiB.
  public var lineBytes = 16 << 20
  /// The maximum number of bytes queued for a program that does not read its standard input: 64 MiB.
  public var waitingInputBytes = 64 << 20
  /// The maximum time from a program's start to its answer to `initialize`: 10 s.
  public var start = Duration.seconds(10)
  /// The maximum time for a program to end a cancelled call, and to end when asked to: 1 s.
  public var grace = Duration.seconds(1)
  /// The maximum number of log lines per call. Further lines are only counted: 1,000.
  public var logLinesPerCall = 1000
  /// The maximum number of progress messages per call. Further ones are dropped: 10,000.
  public var progressPerCall = 10_000
  /// The maximum number of messages without a call. After more, the program is ended: 100.
  public var strayMessages = 100
  /// The maximum number of consecutive starts without a finished call. After these, the waiting calls fail: 3.
  public var startsInARow = 3
  /// The maximum time for compiling a plugin's Swift source: 2 min.
  public var compile = Duration.seconds(120)

  /// Creates limits with the default values.
  public init() {}
}
