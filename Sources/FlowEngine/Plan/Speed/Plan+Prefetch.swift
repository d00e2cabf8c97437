import FlowModel

// Steps prefetched: those that a thread takes in one go behind the step it starts, to run them one after the other
// without coming back to the plan for each. Until the thread comes back, or the plan needs to know, they are in no
// queue and the plan does not know how far the thread is; the capacity that the first one took counts for all.
//
// Anyone who tells the plan anything but the end of a fast path's steps must first have it exact again: ends told, a
// running step noted, the others put back.
extension Plan {
  /// The number of steps to share out ahead between the threads of a fast path's pool: those that are ready; where
  /// the gate waits for `first`, no more than it waits for.
  func prefetchShare(of fastPath: FastPath, behind first: StepIndex) -> Int {
    let ready = fastPath.queue.pointee.ready.count
    return fastPath.traits[first].flags.contains(.blocking) ? min(ready, counts.blocking) : ready
  }

  /// Takes the lowest ready step of a fast path's pool ahead; nil when there is none, or one that must not be: it is
  /// special, or unlike `first` in whether the gate waits for it, so that the gate never waits for one behind it.
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

  /// Makes the plan exact again: a thread has gone on through `started`, the last of which runs, each from the end of
  /// the one before, and has left `unstarted`.
  mutating func revoke(
    started: UnsafeBufferPointer<StepIndex>, endedAt ends: UnsafeBufferPointer<Int>,
    unstarted: UnsafeBufferPointer<StepIndex>, at now: Int
  ) {
    if tables.makeUnique() { endFastPath() }
    for (index, end) in ends.enumerated() {
      finish(started[index], .success, nil, at: now)
      // What waited for the step was released now; the step itself ended when it did.
      states[started[index]].endedAt = end
      putBack(started[index + 1])
      move(started[index + 1], to: .running)
      noteRun(of: started[index + 1], startedAt: end)
    }
    for step in unstarted { putBack(step) }
    followUp(at: now)
    if hasEffects { endFastPath() }
  }

  /// Puts a step that had been prefetched back among the ready ones.
  private mutating func putBack(_ step: StepIndex) {
    queues[traits[step].queue].ready.insert(Int(traits[step].position))
    counts.queued += 1
    counts.busy += 1
  }

  /// Notes that a step was started that had been prefetched.
  @inline(__always)
  mutating func noteRun(of step: StepIndex, startedAt: Int) {
    states[step].status = .running
    states[step].attempt = 1
    states[step].startedAt = startedAt
  }
}
