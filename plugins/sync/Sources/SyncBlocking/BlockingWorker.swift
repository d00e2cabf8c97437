import Foundation
import Synchronization

/// A thread of its own for calls that block: sockets and libpq never hold a thread of the shared pool.
///
/// Jobs run one after the other. `stop()` lets the job that runs end and refuses those that wait.
public final class BlockingWorker: Sendable {
  private let shared = Shared()

  /// Guarded by `condition`: every access to the other members holds its lock. That is the proof for the promise below.
  private final class Shared: @unchecked Sendable {
    let condition = NSCondition()
    var jobs: [@Sendable (Bool) -> Void] = []
    var isStopped = false
    var load = 0
  }

  /// Starts the thread.
  public init(name: String) {
    let shared = shared
    let thread = Thread {
      while true {
        shared.condition.lock()
        while shared.jobs.isEmpty, !shared.isStopped { shared.condition.wait() }
        guard !shared.jobs.isEmpty else {
          shared.condition.unlock()
          return
        }
        let (job, isStopped) = (shared.jobs.removeFirst(), shared.isStopped)
        shared.condition.unlock()
        job(!isStopped)
        shared.condition.lock()
        shared.load -= 1
        shared.condition.unlock()
      }
    }
    thread.name = name
    thread.start()
  }

  deinit { stop() }

  /// How many jobs wait or run.
  public var load: Int {
    shared.condition.lock()
    defer { shared.condition.unlock() }
    return shared.load
  }

  /// Runs a body on the thread; throws `CancellationError` when the worker was stopped before.
  public func perform<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      submit { mayRun in
        continuation.resume(with: mayRun ? Result(catching: body) : .failure(CancellationError()))
      }
    }
  }

  /// Calls a body on the thread with `true`, or somewhere with `false` when the worker was stopped before.
  public func submit(_ body: @escaping @Sendable (_ mayRun: Bool) -> Void) {
    shared.condition.lock()
    let isStopped = shared.isStopped
    if !isStopped {
      shared.load += 1
      shared.jobs.append(body)
      shared.condition.signal()
    }
    shared.condition.unlock()
    if isStopped { body(false) }
  }

  /// Lets the thread end.
  public func stop() {
    shared.condition.lock()
    shared.isStopped = true
    shared.condition.signal()
    shared.condition.unlock()
  }
}
