import FlowModel

/// Steps that waited because there was no thread for them, for the report's warnings.
struct ThreadShortage {
  /// The largest number of steps of a lane that waited at once while there were as many slots as there may be.
  private var beyondLimit: [Int: Int] = [:]
  /// The same while the system gave no more threads.
  private var withoutThread: [Int: Int] = [:]

  /// Notes that steps of a lane wait though it has as many slots as it may have.
  mutating func noteLimit(_ lane: Lane, waiting steps: Int) {
    beyondLimit[lane.index] = max(steps, beyondLimit[lane.index] ?? 0)
  }

  /// Notes that steps of a lane wait because the system gave no thread.
  mutating func noteMissing(_ lane: Lane, waiting steps: Int) {
    withoutThread[lane.index] = max(steps, withoutThread[lane.index] ?? 0)
  }

  /// What the report says of it, where the system gave so many threads at most.
  func warnings(threads: Int) -> [String] {
    func name(_ lane: Int) -> String { Lane.all[lane].qualityOfService?.rawValue ?? "main" }
    func count(_ steps: Int) -> String { steps == 1 ? "1 step" : "\(steps) steps" }
    return beyondLimit.sorted { $0.key < $1.key }.map { lane, steps in
      "up to \(count(steps)) waited for a thread: all \(Limits.slots) that steps of '\(name(lane))' may have were busy"
    }
      + withoutThread.sorted { $0.key < $1.key }.map { lane, steps in
        "up to \(count(steps)) of '\(name(lane))' waited for a thread: the system gave no more than \(threads) "
          + "(see ulimit -u)"
      }
  }
}

extension RunState {
  /// Takes back a slot for which the system gave no thread. The lane goes on with those it has; where it has none for too
  /// long, its steps fail.
  mutating func noteMissingThread(in lane: Lane, at now: Int) {
    pools[lane.index].noteMissingThread(at: now)
    // Slots that are on their way take one of these steps each.
    let waiting = plan.startableSteps(in: lane) - pools[lane.index].waking
    if waiting > 0 { threadShortage.noteMissing(lane, waiting: waiting) }
    guard pools[lane.index].isOutOfThreads(at: now) else { return }
    let failure = StepFailure(
      code: "no-thread", message: "the system gave no thread for 10 s; see ulimit -u, or set 'concurrency'")
    while let (step, attempt) = plan.startNext(in: lane, at: now) {
      plan.apply(.ended(step, attempt: attempt, .failure(failure, isRetryable: false)), at: now)
    }
  }
}
