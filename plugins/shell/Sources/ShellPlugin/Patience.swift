import FlowSystem

/// Limits the time that a command waits for descriptors and processes. While other commands are running, there is no
/// limit, because they release some when they end.
struct Patience {
  private var pauseMilliseconds: CInt = 1
  private var waitedMilliseconds: CInt = 0

  private static let longestPauseMilliseconds: CInt = 50
  private static let longestWaitMilliseconds: CInt = 10_000

  /// Pauses if the start should be tried again after this error. Returns false if the time limit has passed or waiting
  /// does not help.
  mutating func allows(_ error: SystemError) -> Bool {
    guard let pause = pause(after: error) else { return false }
    _ = poll(nil, 0, pause)
    return true
  }

  /// Returns the milliseconds to wait before the next start, or nil if the time limit has passed or waiting does not
  /// help.
  mutating func pause(after error: SystemError) -> CInt? {
    guard error.isLackOfDescriptors || error.number == EAGAIN else { return nil }
    // Running commands release descriptors and processes when they end.
    if RunningCommand.count > 0 { waitedMilliseconds = 0 }
    guard waitedMilliseconds < Self.longestWaitMilliseconds else { return nil }
    defer { pauseMilliseconds = min(2 * pauseMilliseconds, Self.longestPauseMilliseconds) }
    waitedMilliseconds += pauseMilliseconds
    return pauseMilliseconds
  }
}
