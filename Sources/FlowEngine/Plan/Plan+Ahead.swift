import FlowModel

// Steps taken ahead: those that a slot takes in one go behind the step it starts, to run them one after the other without
// coming back to the plan for each. Until the slot comes back, or the plan needs to know, they are in no queue and the
// plan does not know how far the slot is; the place that the first one took counts for all.
//
// Whoever tells the plan anything but the end of a series' steps must first have it exact again: ends told, a running
// step noted, the others put back.
extension Plan {
  /// How many steps there are to share out ahead between the slots of a series' lane: those that are ready; where the gate
  /// waits for `first`, no more than it waits for.
  func shareAhead(of series: StepSeries, behind first: StepIndex) -> Int {
    let ready = series.queue.pointee.ready.count
    return series.traits[Int(first)].flags.contains(.blocking) ? min(ready, blockingCount) : ready
  }

  /// Takes the lowest ready step of a series' lane ahead; nil when there is none, or one that must not be: it is special,
  /// or unlike `first` in whether the gate waits for it, so that the gate never waits for one behind it.
  @inline(__always)
  mutating func takeAhead(_ series: StepSeries, behind first: StepIndex, if isFit: (StepIndex) -> Bool) -> StepIndex? {
    guard let place = series.queue.pointee.ready.lowest else { return nil }
    let step = series.queue.pointee.members[place]
    let flags = series.traits[Int(step)].flags
    guard flags.isDisjoint(with: [.timed, .idle]),
      flags.contains(.blocking) == series.traits[Int(first)].flags.contains(.blocking), isFit(step)
    else { return nil }
    _ = series.queue.pointee.ready.removeLowest()
    queuedCount &-= 1
    busyCount &-= 1
    return step
  }

  /// Makes the plan exact again: a slot has gone on through `started`, the last of which runs, each from the end of the
  /// one before, and has left `unstarted`.
  mutating func takeBack(
    started: UnsafeBufferPointer<StepIndex>, endedAt ends: UnsafeBufferPointer<Int>,
    unstarted: UnsafeBufferPointer<StepIndex>, at now: Int
  ) {
    if tables.makeUnique() { endSeries() }
    for (place, end) in ends.enumerated() {
      settle(started[place], .success, nil, at: now)
      // What waited for the step was released now; the step itself ended when it did.
      states[Int(started[place])].endedAt = end
      noteRun(of: started[place + 1], startedAt: end)
      runningCount += 1
      busyCount += 1
    }
    for step in unstarted {
      queues[Int(traits[Int(step)].queue)].ready.insert(Int(traits[Int(step)].position))
      queuedCount += 1
      busyCount += 1
    }
    followUp(at: now)
    if hasEffects { endSeries() }
  }

  /// Notes that a step was started that had been taken ahead.
  @inline(__always)
  mutating func noteRun(of step: StepIndex, startedAt: Int) {
    states[Int(step)].status = .running
    states[Int(step)].attempt = 1
    states[Int(step)].startedAt = startedAt
  }
}
