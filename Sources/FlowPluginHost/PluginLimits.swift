/// The sizes and times past which the host does not follow a plugin's program.
public struct PluginLimits: Sendable, Hashable {
  /// Bytes in a line of the protocol, either way: 16 MiB.
  public var lineBytes = 16 << 20
  /// Bytes that wait for a program that does not read its standard input: 64 MiB.
  public var waitingInputBytes = 64 << 20
  /// How long a program may take from its start to its answer to `initialize`: 10 s.
  public var start = Duration.seconds(10)
  /// How long a program may take to give up a cancelled call, and to end when asked to: 1 s.
  public var grace = Duration.seconds(1)
  /// Lines a call may write to the run's log; the others are counted: 1,000.
  public var logLinesPerCall = 1000
  /// The number of times that a call may tell its progress; the others are dropped: 10,000.
  public var progressPerCall = 10_000
  /// Messages that belong to no call before the program is ended: 100.
  public var strayMessages = 100
  /// Starts in a row without a finished call after which a program is not started again for the calls that wait for it: 3.
  public var startsInARow = 3
  /// How long the compiler may take for a plugin in Swift source: 2 min.
  public var compile = Duration.seconds(120)

  /// The limits that are documented.
  public init() {}
}
