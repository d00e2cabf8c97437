import Synchronization

/// One wait that several parties may end: the first one decides how.
package final class OneShot<Value: Sendable>: Sendable {
  private enum State {
    case idle
    case waiting(CheckedContinuation<Value, Never>)
    case finished(Value)
  }

  private let state = Mutex(State.idle)

  /// Nothing waits yet and nothing is decided.
  package init() {}

  /// What was decided; nil as long as nothing is.
  package var value: Value? { state.withLock { if case .finished(let value) = $0 { value } else { nil } } }

  /// Waits until ``finish(_:)`` is called; returns at once when it has been. Called once.
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

  /// Ends the wait; later calls do nothing.
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
