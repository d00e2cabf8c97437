import FlowSystem

/// How long a command waits for descriptors and processes: as long as other commands have some, and a while where
/// something else has them all.
struct Patience {
  private var pauseMilliseconds: CInt = 1
  private var waitedMilliseconds: CInt = 0

  private static let longestPauseMilliseconds: CInt = 50
  private static let longestWaitMilliseconds: CInt = 10_000

  /// Whether to try again after this error, after a pause.
  mutating func allows(_ error: SystemError) -> Bool {
    guard error.isLackOfDescriptors || error.number == EAGAIN else { return false }
    // A command that runs will end and return what it has.
    if RunningCommand.count > 0 { waitedMilliseconds = 0 }
    guard waitedMilliseconds < Self.longestWaitMilliseconds else { return false }
    _ = poll(nil, 0, pauseMilliseconds)
    waitedMilliseconds += pauseMilliseconds
    pauseMilliseconds = min(2 * pauseMilliseconds, Self.longestPauseMilliseconds)
    return true
  }
}
