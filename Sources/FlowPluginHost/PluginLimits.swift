/// The limits on the sizes and times of a plugin's program.
public struct PluginLimits: Sendable, Hashable {
  /// The maximum length of a protocol line in either direction, in bytes: 16 MiB.
  public var lineBytes = 16 << 20
  /// The maximum number of bytes queued for a program that does not read its standard input: 64 MiB.
  public var waitingInputBytes = 64 << 20
  /// The maximum time from a program's start to its answer to `initialize`: 10 s.
  public var start = Duration.seconds(10)
  /// The maximum time for a program to stop a cancelled call, and to end when asked to: 1 s.
  public var grace = Duration.seconds(1)
  /// The maximum number of log lines per call; further ones are only counted: 1,000.
  public var logLinesPerCall = 1000
  /// The maximum number of progress messages per call; further ones are dropped: 10,000.
  public var progressPerCall = 10_000
  /// The number of messages without a call after which the program is ended: 100.
  public var strayMessages = 100
  /// Starts in a row without a finished call after which a program is not started again for the calls that wait for it: 3.
  public var startsInARow = 3
  /// How long the compiler may take for a plugin in Swift source: 2 min.
  public var compile = Duration.seconds(120)

  /// Creates the documented limits.
  public init() {}
}
