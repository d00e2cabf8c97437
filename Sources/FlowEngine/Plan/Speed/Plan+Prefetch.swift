import FlowModel

// Prefetched steps: a thread takes them together with the step it starts, and runs them one after the other without a
// call to the plan for each. Until the thread returns them or they are revoked, they are in no queue, and the plan does
// not know the thread's progress. The capacity of the first step counts for all.
//
// Before any event except the end of a fast path's steps is applied, the plan must be made exact again: ends recorded,
// the running step noted, the other steps put back.
extension Plan {
  /// The number of steps that the threads of a fast path's pool may prefetch together: the ready steps, but if the gate
  /// waits for `first`, at most the unfinished blocking steps.
  func prefetchShare(of fastPath: FastPath, behind first: StepIndex) -> Int {
    let ready = fastPath.queue.pointee.ready.count
    return fastPath.traits[first].flags.contains(.blocking) ? min(ready, counts.blocking) : ready
  }

  /// Removes the lowest ready step of a fast path's pool for prefetching. Returns nil if there is none or it is not
  /// ordinary. Blocking steps are not mixed with others, so the gate never waits for a step behind one it does not
  /// need.
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

  /// Makes the plan exact again after a thread has worked through `started`. The last of these is running; each started
  /// at the end of the previous one. The steps in `unstarted` are put back.
  mutating func revoke(
    started: UnsafeBufferPointer<StepIndex>, endedAt ends: UnsafeBufferPointer<Int>,
    unstarted: UnsafeBufferPointer<StepIndex>, at now: Int
  ) {
    if tables.makeUnique() { endFastPath() }
    for (index, end) in ends.enumerated() {
      finish(started[index], .success, nil, at: now)
      // The dependents of the step were released now, but the step itself ended earlier.
      states[started[index]].endedAt = end
      putBack(started[index + 1])
      move(started[index + 1], to: .running)
      noteRun(of: started[index + 1], startedAt: end)
    }
    for step in unstarted { putBack(step) }
    followUp(at: now)
    if hasEffects { endFastPath() }
  }

  /// Puts a prefetched step back among the ready steps.
  private mutating func putBack(_ step: StepIndex) {
    queues[traits[step].queue].ready.insert(Int(traits[step].position))
    counts.queued += 1
    counts.busy += 1
  }

  /// Records the start of a prefetched step.
  @inline(__always)
  mutating func noteRun(of step: StepIndex, startedAt: Int) {
    states[step].status = .running
    states[step].attempt = 1
    states[step].startedAt = startedAt
  }
}
