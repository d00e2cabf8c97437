/// A thread for blocking calls, so that no thread of a pool has to wait for them.
///
/// Jobs run one after another. `stop()` lets the running job end and refuses waiting jobs.
package final class BlockingWorker: Sendable {
  private let shared = Shared()

  /// The state that the thread shares with its callers. It outlives the worker while a job is running.
  ///
  /// Proof of safety: `jobs`, `isStopped` and `load` are accessed only in ``locked(_:)`` and ``next()``, which hold the
  /// lock. The lock and the condition are created in `init` and freed in `deinit`, when no reference to this object is
  /// left.
  private final class Shared: @unchecked Sendable {
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var jobs: [@Sendable (Bool) -> Void] = []
    private var isStopped = false
    private var load = 0

    init() {
      pthread_mutex_init(lock, nil)
      pthread_cond_init(condition, nil)
    }

    deinit {
      pthread_cond_destroy(condition)
      pthread_mutex_destroy(lock)
      condition.deallocate()
      lock.deallocate()
    }

    private func locked<Answer>(_ body: () -> Answer) -> Answer {
      pthread_mutex_lock(lock)
      defer { pthread_mutex_unlock(lock) }
      return body()
    }

    var loadNow: Int { locked { load } }

    /// Queues a job. Returns false if the worker has been stopped.
    func add(_ job: @escaping @Sendable (Bool) -> Void) -> Bool {
      locked {
        if isStopped { return false }
        load += 1
        jobs.append(job)
        pthread_cond_signal(condition)
        return true
      }
    }

    func stop() {
      locked {
        isStopped = true
        pthread_cond_signal(condition)
      }
    }

    /// Waits for the next job. Returns it, with false as the second value if it is refused because the worker has been
    /// stopped. Returns nil if the worker has been stopped and no job is left.
    func next() -> (job: @Sendable (Bool) -> Void, mayRun: Bool)? {
      locked {
        while jobs.isEmpty, !isStopped { pthread_cond_wait(condition, lock) }
        return jobs.isEmpty ? nil : (jobs.removeFirst(), !isStopped)
      }
    }

    func endJob() { locked { load -= 1 } }
  }

  /// Starts the thread. Debuggers show its name. If the system cannot create a thread, all jobs are refused.
  package init(name: String) {
    let shared = shared
    do throws(SystemError) {
      try DetachedThread.start(name: name) {
        while let (job, mayRun) = shared.next() {
          job(mayRun)
          shared.endJob()
        }
      }
    } catch {
      shared.stop()
    }
  }

  deinit { stop() }

  /// The number of jobs that are waiting or running.
  package var load: Int { shared.loadNow }

  /// Runs a closure on the thread. Throws a `CancellationError` if the worker has been stopped.
  package func perform<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      submit { mayRun in
        continuation.resume(with: mayRun ? Result(catching: body) : .failure(CancellationError()))
      }
    }
  }

  /// Calls `body(true)` on the worker's thread, or `body(false)` on any thread if the worker has been stopped.
  package func submit(_ body: @escaping @Sendable (_ mayRun: Bool) -> Void) {
    if !shared.add(body) { body(false) }
  }

  /// Ends the thread after the current job. Waiting jobs are refused.
  package func stop() { shared.stop() }
}
