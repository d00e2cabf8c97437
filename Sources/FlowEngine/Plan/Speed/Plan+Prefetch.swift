import FlowModel

// Prefetched steps. A thread takes them together with the step it starts, and runs them one after another without
// calling the plan. Until the thread has finished or the steps are revoked, they are in no queue, and the plan does not
// know how far the thread is. They use the queue capacity of the first step.
//
// Before the plan applies any other event, `revoke` updates it: it records the steps that have ended, marks one as
// running and returns the others to their queue.
extension Plan {
  /// The number of steps that the threads of a fast path's pool may prefetch together. While the gate waits for
  /// `first`, it is at most the number of unfinished blocking steps.
  func prefetchShare(of fastPath: FastPath, behind first: StepIndex) -> Int {
    let ready = fastPath.queue.pointee.ready.count
    return fastPath.traits[first].flags.contains(.blocking) ? min(ready, counts.blocking) : ready
  }

  /// Removes the lowest ready step of a fast path's pool for prefetching. Returns nil if there is none, if it is not
  /// ordinary, or if only one of it and `first` is blocking. So a blocking step never waits for one that the gate does
  /// not need.
  @inline(__always)
  mutating func prefetch(_ fastPath: FastPath, behind first: StepIndex, if isFit: (StepIndex) -> Bool) -> StepIndex? {
    guard let position = fastPath.queue.pointee.ready.lowest else { return nil }
    let step = fastPath.queue.pointee.members[position]
    let flags = fastPath.traits[step].flags
    guard flags.isDisjoint(with: [.timed, .idle, .fanOut]),
      flags.contains(.blocking) == fastPath.traits[first].flags.contains(.blocking), isFit(step)
    else { return nil }
    _ = fastPath.queue.pointee.ready.removeLowest()
    counts.queued &-= 1
    counts.busy &-= 1
    return step
  }

  /// Updates the plan when prefetched steps are revoked. All steps in `started` have ended, except the last one, which
  /// is running. The steps in `unstarted` return to their queues.
  mutating func revoke(
    started: UnsafeBufferPointer<StepIndex>, endedAt ends: UnsafeBufferPointer<Int>,
    unstarted: UnsafeBufferPointer<StepIndex>, at now: Int
  ) {
    if tables.makeUnique() { endFastPath() }
    for (index, end) in ends.enumerated() {
      finish(started[index], .success, nil, at: now)
      // The dependents were released at `now`, but the step itself ended earlier.
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
