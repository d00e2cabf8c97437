import Synchronization

/// A wait that several parties may end. The first value counts.
package final class OneShot<Value: Sendable>: Sendable {
  private enum State {
    case idle
    case waiting(CheckedContinuation<Value, Never>)
    case finished(Value)
  }

  private let state = Mutex(State.idle)

  /// Makes a wait that has not ended.
  package init() {}

  /// The value, or nil before the end.
  package var value: Value? { state.withLock { if case .finished(let value) = $0 { value } else { nil } } }

  /// Waits for ``finish(_:)``, or returns at once if it was called. Called once.
  package nonisolated(nonsending) func wait() async -> Value {
    await withCheckedContinuation { continuation in
      let value = state.withLock { state -> Value? in
        if case .finished(let value) = state { return value }
        state = .waiting(continuation)
        return nil
      }
      if let value { continuation.resume(returning: value) }
    }
  }

  /// Ends the wait. Later calls have no effect.
  package func finish(_ value: Value) {
    let continuation = state.withLock { state -> CheckedContinuation<Value, Never>? in
      switch state {
      case .finished:
        return nil
      case .idle:
        state = .finished(value)
        return nil
      case .waiting(let continuation):
        state = .finished(value)
        return continuation
      }
    }
    continuation?.resume(returning: value)
  }
}
