import FlowSystem

/// Limits how long a command waits for descriptors and processes. There is no limit while other commands are running,
/// because they will release some.
struct Patience {
  private var pauseMilliseconds: CInt = 1
  private var waitedMilliseconds: CInt = 0

  private static let longestPauseMilliseconds: CInt = 50
  private static let longestWaitMilliseconds: CInt = 10_000

  /// Pauses and returns true if the start should be tried again after this error. Returns false if the time limit has
  /// passed.
  mutating func allows(_ error: SystemError) -> Bool {
    guard let pause = pause(after: error) else { return false }
    _ = poll(nil, 0, pause)
    return true
  }

  /// Returns the milliseconds after which the start should be tried again, or nil if the time limit has passed.
  mutating func pause(after error: SystemError) -> CInt? {
    guard error.isLackOfDescriptors || error.number == EAGAIN else { return nil }
    // A running command releases its descriptors and processes when it ends.
    if RunningCommand.count > 0 { waitedMilliseconds = 0 }
    guard waitedMilliseconds < Self.longestWaitMilliseconds else { return nil }
    defer { pauseMilliseconds = min(2 * pauseMilliseconds, Self.longestPauseMilliseconds) }
    waitedMilliseconds += pauseMilliseconds
    return pauseMilliseconds
  }
}
