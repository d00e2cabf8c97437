import FlowModel

/// A user interface that can be called on any thread, for example one without a window.
package protocol CallableAnywhere: UserInterface {}

extension ActionContext {
  /// Calls a user interface, if necessary after waiting for the main thread. Throws a `CancellationError` if the step
  /// must end. If that happens during the wait, the call is not made.
  package nonisolated(nonsending) func calling<Output: Sendable>(
    _ interface: any UserInterface, _ body: @escaping @Sendable () async throws -> Output
  ) async throws -> Output {
    if interface is any CallableAnywhere { return try await body() }
    return try await untilCancelled {
      try await MainActor.run { try Task.checkCancellation() }
      return try await body()
    }
  }

  /// Calls `body`. Throws a `CancellationError` when the step must end, even if `body` has not returned because it is
  /// waiting for a thread.
  package nonisolated(nonsending) func untilCancelled<Output: Sendable>(
    _ body: @escaping @Sendable () async throws -> Output
  ) async throws -> Output {
    let end = OneShot<Result<Output, any Error>>()
    let call = Task {
      do {
        end.finish(.success(try await body()))
      } catch {
        end.finish(.failure(error))
      }
    }
    return try await withTaskCancellationHandler {
      await end.wait()
    } onCancel: {
      call.cancel()
      end.finish(.failure(CancellationError()))
    }.get()
  }
}
