import FlowModel

// The fast path for items: when one ends, the next item of the same step takes its place.
extension Plan {
  /// Records that the body of an item succeeded, and starts the next step or item of the pool.
  mutating func passOnItem(
    _ instance: StepIndex, attempt: Int, in pool: Pool, at now: Int
  ) -> (step: StepIndex, attempt: Int)? {
    if attempt == 1, isOrdinary, let next = advanceItem(from: instance, in: pool, at: now) { return (next, 1) }
    succeeded(instance, attempt: attempt, at: now)
    return hasEffects ? nil : startNext(in: pool, at: now)
  }

  /// Ends an item and starts the next one of its step. Returns nil without a change if the run, the step or an item is
  /// not ordinary.
  private mutating func advanceItem(from instance: StepIndex, in pool: Pool, at now: Int) -> StepIndex? {
    let (index, item) = fanOuts.fanOutItem(of: instance)
    let step = fanOuts[index].step
    let (trait, queue) = (traits[step], queues[pool.index])
    guard Int(trait.queue) == pool.index, !trait.flags.contains(.timed), states[step].status == .queued,
      queue.ready.lowest == Int(trait.position), journal?.keepsStarts != true,
      let next = fanOuts[index].advance(from: item, at: now)
    else { return nil }
    endFastPath()
    _ = tables.makeUnique()
    let count = finishedCount
    journal?.noteSuccess(ofItem: StepIndex(item), of: step, finishedBefore: count)
    let following = fanOuts[index].firstInstance + StepIndex(next)
    if detail == .full, fanOuts[index].detail == .full {
      tables.log.pointee.append(.complete(.succeeded(instance, attempt: 1)), at: now)
      tables.log.pointee.append(.complete(.started(following, attempt: 1, queue: pool.index)), at: now)
    }
    if fanOuts[index].startable == nil { refresh(index, at: now) }
    return following
  }
}

extension PlanFanOut {
  /// Ends an item that succeeded in its first attempt, and starts the next one. Returns nil without a change if
  /// there is no next item, or if one of the two has had other attempts.
  @inline(__always)
  mutating func advance(from item: Int, at now: Int) -> Int? {
    guard states[item].status == .running, states[item].attempt == 1, again.isEmpty, next < admitted,
      states[next].attempt == 0
    else { return nil }
    let following = next
    states[item].succeed(at: now)
    unsettled -= 1
    states[following].status = .running
    states[following].attempt = 1
    states[following].startedAt = now
    states[following].readyAt = max(states[following].readyAt, states[item].readyAt)
    skipFinished(from: following + 1)
    return following
  }
}
