import FlowModel

/// A user interface that can be called on any thread, such as one without a window.
package protocol CallableAnywhere: UserInterface {}

extension ActionContext {
  /// Calls a user interface, possibly after waiting for the main thread. Throws `CancellationError` when the step must
  /// end. If that happens before the main thread is free, the call is not made.
  package nonisolated(nonsending) func calling<Output: Sendable>(
    _ interface: any UserInterface, _ body: @escaping @Sendable () async throws -> Output
  ) async throws -> Output {
    if interface is any CallableAnywhere { return try await body() }
    return try await untilCancelled {
      try await MainActor.run { try Task.checkCancellation() }
      return try await body()
    }
  }

  /// Calls `body`. Throws `CancellationError` when the step must end, even if `body` has not returned, for example
  /// because it waits for a thread.
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
