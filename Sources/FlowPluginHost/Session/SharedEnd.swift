import Synchronization

/// Something that is over once, and that several may wait for.
final class SharedEnd: Sendable {
  private struct State {
    var isOver = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// Waits until it is over; returns at once when it is.
  func value() async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if !state.isOver { state.waiters.append(continuation) }
        return state.isOver
      }
      if isOver { continuation.resume() }
    }
  }

  /// Says that it is over.
  func finish() {
    let waiters = state.withLock { state in
      state.isOver = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}
