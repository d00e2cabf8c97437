import FlowModel

// A thread prefetches steps together with the step that it starts, and runs them one after another without calling the
// plan. Until the thread has finished or the steps are revoked, they are in no queue, and the plan has no record of the
// thread's progress. They use the queue capacity of the first step.
//
// Before the plan applies any other event, `revoke` updates it: it records which steps have ended, marks one as running
// and returns the others to their queue.
extension Plan {
  /// Returns the number of steps that all threads of a fast path's pool may prefetch together. While the gate waits for
  /// `first`, it is at most the number of unfinished blocking steps.
  func prefetchShare(of fastPath: FastPath, behind first: StepIndex) -> Int {
    let ready = queues[fastPath.pool.index].ready.count
    return traits[first].flags.contains(.blocking) ? min(ready, counts.blocking) : ready
  }

  /// Removes the ready step with the lowest rank from a fast path's queue for prefetching. Returns nil if there is
  /// none, if it is not ordinary, or if `isFit` returns false for it. Also returns nil if only one of this step and
  /// `first` is blocking, so that a blocking step never waits for a step that the gate does not need.
  @inline(__always)
  mutating func prefetch(_ fastPath: FastPath, behind first: StepIndex, if isFit: (StepIndex) -> Bool) -> StepIndex? {
    guard let position = queues[fastPath.pool.index].ready.lowest else { return nil }
    let step = queues[fastPath.pool.index].members[position]
    let flags = traits[step].flags
    guard flags.isDisjoint(with: [.timed, .idle, .fanOut]),
      flags.contains(.blocking) == traits[first].flags.contains(.blocking), isFit(step)
    else { return nil }
    _ = queues[fastPath.pool.index].ready.removeLowest()
    counts.queued &-= 1
    counts.busy &-= 1
    return step
  }

  /// Updates the plan when prefetched steps are revoked. The last step in `started` is running, and all others in it
  /// have ended. The steps in `unstarted` return to their queues.
  mutating func revoke(
    started: UnsafeBufferPointer<StepIndex>, endedAt ends: UnsafeBufferPointer<Int>,
    unstarted: UnsafeBufferPointer<StepIndex>, at now: Int
  ) {
    if makeUnique() { endFastPath() }
    for (index, end) in ends.enumerated() {
      finish(started[index], .success, nil, at: now)
      // The dependents were released at `now`, but the step itself has ended earlier.
      states[started[index]].endedAt = end
      putBack(started[index + 1])
      move(started[index + 1], to: .running)
      noteRun(of: started[index + 1], startedAt: end)
    }
    for step in unstarted { putBack(step) }
    followUp(at: now)
    if hasEffects { endFastPath() }
  }

  private mutating func putBack(_ step: StepIndex) {
    queues[traits[step].queue].ready.insert(Int(traits[step].position))
    counts.queued += 1
    counts.busy += 1
  }

  /// Marks a prefetched step as running since `startedAt`.
  @inline(__always)
  mutating func noteRun(of step: StepIndex, startedAt: Int) {
    states[step].status = .running
    states[step].attempt = 1
    states[step].startedAt = startedAt
  }
}
