import FlowModel

/// Steps that waited because there was no thread for them, for the report's warnings.
struct ThreadShortage {
  /// The largest number of steps of a pool that waited at once while it had as many threads as allowed.
  private var beyondLimit: [Int: Int] = [:]
  /// The same while the system gave no more threads.
  private var withoutThread: [Int: Int] = [:]

  /// Notes that steps of a pool wait though it has as many threads as it may have.
  mutating func noteLimit(_ pool: Pool, waiting steps: Int) {
    beyondLimit[pool.index] = max(steps, beyondLimit[pool.index] ?? 0)
  }

  /// Notes that steps of a pool wait because the system gave no thread.
  mutating func noteMissing(_ pool: Pool, waiting steps: Int) {
    withoutThread[pool.index] = max(steps, withoutThread[pool.index] ?? 0)
  }

  /// What the report says if the system gave at most this many threads.
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
  /// Takes back a thread for which the system gave no thread. The pool continues with those it has; where it has none for
  /// too long, its steps fail.
  mutating func noteMissingThread(in pool: Pool, at now: Int) {
    pools[pool.index].noteMissingThread(at: now)
    // Threads that are on their way take one of these steps each.
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
