import Synchronization

/// One wait that several parties may end: the first one decides how.
final class Wake: Sendable {
  private enum State {
    case idle
    case waiting(CheckedContinuation<Void, any Error>)
    case finished(Result<Void, any Error>)
  }

  private let state = Mutex(State.idle)

  /// Waits until ``finish(_:)`` is called; returns at once when it has been. Called once.
  nonisolated(nonsending) func wait() async throws {
    try await withCheckedThrowingContinuation { continuation in
      let result = state.withLock { state -> Result<Void, any Error>? in
        if case .finished(let result) = state { return result }
        state = .waiting(continuation)
        return nil
      }
      if let result { continuation.resume(with: result) }
    }
  }

  /// Ends the wait; later calls do nothing.
  func finish(_ result: Result<Void, any Error>) {
    let continuation = state.withLock { state -> CheckedContinuation<Void, any Error>? in
      switch state {
      case .finished:
        return nil
      case .idle:
        state = .finished(result)
        return nil
      case .waiting(let continuation):
        state = .finished(result)
        return continuation
      }
    }
    continuation?.resume(with: result)
  }
}
