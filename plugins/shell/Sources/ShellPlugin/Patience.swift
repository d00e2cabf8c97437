import FlowSystem

/// Limits the time that a command waits for descriptors and processes: unlimited while other commands use some, short
/// if something else uses all of them.
struct Patience {
  private var pauseMilliseconds: CInt = 1
  private var waitedMilliseconds: CInt = 0

  private static let longestPauseMilliseconds: CInt = 50
  private static let longestWaitMilliseconds: CInt = 10_000

  /// Returns true to retry after this error, once it has paused.
  mutating func allows(_ error: SystemError) -> Bool {
    guard error.isLackOfDescriptors || error.number == EAGAIN else { return false }
    // A running command will release its resources when it ends.
    if RunningCommand.count > 0 { waitedMilliseconds = 0 }
    guard waitedMilliseconds < Self.longestWaitMilliseconds else { return false }
    _ = poll(nil, 0, pauseMilliseconds)
    waitedMilliseconds += pauseMilliseconds
    pauseMilliseconds = min(2 * pauseMilliseconds, Self.longestPauseMilliseconds)
    return true
  }
}
