import FlowModel

/// Counts steps that waited because their pool had no thread for them, for warnings in the report.
struct ThreadShortage {
  /// The largest number of steps that waited while a pool had the maximum number of threads, by the pool's index.
  private var beyondLimit: [Int: Int] = [:]
  /// The largest number of steps that waited while the system refused threads, by the pool's index.
  private var withoutThread: [Int: Int] = [:]

  /// Records that steps wait while their pool has the maximum number of threads.
  mutating func noteLimit(_ pool: Pool, waiting steps: Int) {
    beyondLimit[pool.index] = max(steps, beyondLimit[pool.index] ?? 0)
  }

  /// Records that steps wait because the system refused a thread.
  mutating func noteMissing(_ pool: Pool, waiting steps: Int) {
    withoutThread[pool.index] = max(steps, withoutThread[pool.index] ?? 0)
  }

  /// Returns the warnings for the report. `threads` is the number of threads that the system has provided.
  func warnings(threads: Int) -> [String] {
    func name(_ pool: Int) -> String { Pool.all[pool].qualityOfService?.rawValue ?? "main" }
    func count(_ steps: Int) -> String { steps == 1 ? "1 step" : "\(steps) steps" }
    return beyondLimit.sorted { $0.key < $1.key }.map { pool, steps in
      "up to \(count(steps)) waited for a thread: all \(Limits.threads) that steps of '\(name(pool))' may have were busy"
    }
      + withoutThread.sorted { $0.key < $1.key }.map { pool, steps in
        "up to \(count(steps)) of '\(name(pool))' waited for a thread: the system gave no more than \(threads) "
          + "(see ulimit -u)"
      }
  }
}

extension RunState {
  /// Records that the system refused a thread. The pool continues with the threads that it has. If it has had none for
  /// 10 s, its steps fail.
  mutating func noteMissingThread(in pool: Pool, at now: Int) {
    pools[pool.index].noteMissingThread(at: now)
    // Each woken thread will take one of the waiting steps, so these steps are not counted.
    let waiting = plan.startableSteps(in: pool) - pools[pool.index].waking
    if waiting > 0 { threadShortage.noteMissing(pool, waiting: waiting) }
    guard pools[pool.index].isOutOfThreads(at: now) else { return }
    let failure = StepFailure(
      code: "no-thread", message: "the system could not create a thread for 10 s; raise ulimit -u, or set 'concurrency'"
    )
    while let (step, attempt) = plan.startNext(in: pool, at: now) {
      plan.apply(.ended(step, attempt: attempt, .failure(failure, isRetryable: false)), at: now)
    }
  }
}
