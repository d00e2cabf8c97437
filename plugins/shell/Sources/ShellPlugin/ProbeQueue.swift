import FlowSystem
import Synchronization

/// Runs the readiness checks of all services on a few threads, because a check may block for seconds.
final class ProbeQueue: Sendable {
  static let shared = ProbeQueue()

  private struct State {
    var waiting: [@Sendable () -> Void] = []
    var threads = 0

    /// Removes and returns the next check. If there is none, returns nil, and the calling thread must end.
    mutating func next() -> (@Sendable () -> Void)? {
      guard waiting.isEmpty else { return waiting.removeFirst() }
      threads -= 1
      return nil
    }
  }

  private let state = Mutex(State())

  private static let mostThreads = 8

  /// Runs a check as soon as a thread is free. Returns false if there is no thread and the system cannot create one.
  func add(_ check: @escaping @Sendable () -> Void) -> Bool {
    let mustStart = state.withLock { state in
      state.waiting.append(check)
      guard state.threads < Self.mostThreads else { return false }
      state.threads += 1
      return true
    }
    guard mustStart else { return true }
    do throws(SystemError) {
      try DetachedThread.start(name: "service probe") { [self] in run() }
      return true
    } catch {
      return state.withLock { state in
        state.threads -= 1
        // An existing thread will run the check.
        if state.threads > 0 { return true }
        state.waiting = []
        return false
      }
    }
  }

  private func run() {
    while let check = state.withLock({ $0.next() }) { check() }
  }
}
