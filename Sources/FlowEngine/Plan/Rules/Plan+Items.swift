import FlowModel

// Items of fan-outs have the same life cycle as steps (`Plan+Bodies`), but they start in list order and update their
// step.
extension Plan {
  /// Starts the next item of a fan-out, or returns nil if none may start.
  mutating func startItem(of step: StepIndex, at now: Int) -> (step: StepIndex, attempt: Int)? {
    guard let index = fanOuts.index(of: step), let item = fanOuts[index].takeNext() else { return nil }
    let task = task(item, of: index)
    defer { refresh(task, at: now) }
    return start(task, at: now)
  }

  /// Records the start of the first item as the start of its step.
  mutating func noteFirstStart(of step: StepIndex, at now: Int) {
    states[step].attempt = 1
    states[step].startedAt = now
    if !isRemote(step) { noteStart(of: PlanTask(step), at: now) }
    if let limit = options(of: step).fanOut?.deadline {
      timers.insert(PlanTimer(atNanoseconds: now + limit.nanoseconds, kind: .deadline, step: step, attempt: 0))
    }
  }

  @inline(__always)
  mutating func refresh(_ task: PlanTask, at now: Int) {
    if task.isItem { refresh(task.fanOut, at: now) }
  }

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
      let state = self[state: task]
      let finished = FinishedEntry(task.instance, state, outcome, workEndedAt: workEnd(of: task, state))
      noteEntry(.finished(finished, particulars.failures[task.index]))
    }
  }
}
