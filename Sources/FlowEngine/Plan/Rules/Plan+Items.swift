import FlowModel

// Items follow the life of a step (`Plan+Bodies`) with two differences: they start in the order of the list, and they
// count for their step.
extension Plan {
  /// Starts the next item of a step, if there is one and the step has room for it.
  mutating func startItem(of step: StepIndex, at now: Int) -> (step: StepIndex, attempt: Int)? {
    guard let index = fanOuts.index(of: step), let item = fanOuts[index].takeNext() else { return nil }
    let task = task(item, of: index)
    defer { refresh(task, at: now) }
    return start(task, at: now)
  }

  /// Records the first start of an item as the start of its step.
  mutating func noteFirstStart(of step: StepIndex, at now: Int) {
    states[step].attempt = 1
    states[step].startedAt = now
    if !isRemote(step) { noteStart(of: PlanTask(step), at: now) }
    if let limit = options(of: step).fanOut?.deadline {
      timers.insert(PlanTimer(atNanoseconds: now + limit.nanoseconds, kind: .deadline, step: step, attempt: 0))
    }
  }

  /// Updates the status of an item's step. Does nothing for a step.
  @inline(__always)
  mutating func refresh(_ task: PlanTask, at now: Int) {
    if task.isItem { refresh(task.fanOut, at: now) }
  }

  /// Counts the end of an item for its step, and records it in the journal.
  mutating func countEnd(ofItem task: PlanTask, _ outcome: Outcome, _ reason: SkipReason?) {
    if outcome == .failure || outcome == .timedOut {
      if traits[task.step].flags.contains(.optional) {
        fanOuts[task.fanOut].hasOptionalFailure = true
      } else {
        fanOuts[task.fanOut].failed += 1
      }
    }
    guard journal != nil, outcome != .skipped || reason == .condition || reason == .upToDate else { return }
    if outcome == .success {
      let count = finishedCount
      journal?.noteSuccess(ofItem: StepIndex(task.item), of: task.step, finishedBefore: count)
    } else {
      let finished = FinishedEntry(task.instance, self[state: task], outcome)
      noteEntry(.finished(finished, particulars.failures[task.index]))
    }
  }
}
