import Synchronization

/// A value that one task waits for and that several callers may set. Only the first value counts.
package final class OneShot<Value: Sendable>: Sendable {
  private enum State {
    case idle
    case waiting(CheckedContinuation<Value, Never>)
    case finished(Value)
  }

  private let state = Mutex(State.idle)

  package init() {}

  /// The value, or nil if none has been set.
  package var value: Value? { state.withLock { if case .finished(let value) = $0 { value } else { nil } } }

  /// Waits until ``finish(_:)`` is called and returns the value. Returns immediately if it was called before. Only one
  /// task may wait.
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

  /// Sets the value and ends the wait. Later calls have no effect.
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
