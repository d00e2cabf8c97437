/// The limits that a host enforces on a plugin's program: sizes, counts and durations.
public struct PluginLimits: Sendable, Hashable {
  /// The maximum length of a protocol line, in either direction: 16 MiB.
  public var lineBytes = 16 << 20
  /// The maximum number of bytes queued for a program that does not read its standard input: 64 MiB.
  public var waitingInputBytes = 64 << 20
  /// The maximum time from a program's start to its answer to `initialize`: 10 s.
  public var start = Duration.seconds(10)
  /// The maximum time that a program may take to end a cancelled call, or to end after it was asked to: 1 s.
  public var grace = Duration.seconds(1)
  /// The maximum number of log lines per call: 1,000. Further lines are only counted.
  public var logLinesPerCall = 1000
  /// The maximum number of progress messages per call: 10,000. Further ones are dropped.
  public var progressPerCall = 10_000
  /// The maximum number of messages that do not belong to a call: 100. A program that sends more is ended.
  public var strayMessages = 100
  /// The maximum number of consecutive starts without a finished call: 3. After these, the waiting calls fail.
  public var startsInARow = 3
  /// The maximum time for compiling a plugin's Swift source: 2 min.
  public var compile = Duration.seconds(120)

  /// Creates limits with the default values.
  public init() {}
}
