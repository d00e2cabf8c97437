import FlowModel

extension Plan {
  /// Handles whatever is due at `now`, in order.
  mutating func handleTimers(at now: Int) {
    while let timer = timers.next, timer.atNanoseconds <= now, endedAt == nil {
      timers.removeNext()
      handle(timer, at: now)
      settleCollected(at: now)
    }
  }

  private mutating func handle(_ timer: PlanTimer, at now: Int) {
    let step = timer.step
    switch timer.kind {
    case .deadline: timer.attempt == 0 ? timeOut(step, at: now) : timeOutAttempt(step, timer.attempt, at: now)
    case .retry:
      guard states[Int(step)].status == .retrying, states[Int(step)].attempt == timer.attempt else { return }
      leave(.retrying, step)
      enqueue(step, at: now)
    case .floor:
      if states[Int(step)].status == .holding { settle(step, .success, nil, at: now) }
    case .grace: abandon(step, timer.attempt, at: now)
    case .cleanupLimit: endCleanup(at: now)
    case .mainLimit: endMainHold(at: now)
    }
  }

  /// The step's own ceiling: it has timed out for everybody else.
  private mutating func timeOut(_ step: StepIndex, at now: Int) {
    switch states[Int(step)].status {
    case .running:
      ceilingTimes[step] = now
      tellToEnd(step, at: now)
      settle(step, .timedOut, nil, at: now)
    case .queued, .retrying:
      settle(step, .timedOut, nil, at: now)
    case .waiting, .held, .deciding, .holding, .done:
      break
    }
  }

  /// The ceiling of one try: it counts as failed, and the next may follow.
  private mutating func timeOutAttempt(_ step: StepIndex, _ attempt: UInt8, at now: Int) {
    guard states[Int(step)].status == .running, states[Int(step)].attempt == attempt else { return }
    tellToEnd(step, at: now)
    let options = graph.workflow.steps[Int(step)].options
    let limit = options.retry?.attemptDeadline.map(DurationText.format) ?? ""
    failures[step] = StepFailure(code: "attempt-deadline", message: "try \(attempt) took longer than \(limit)")
    if !retry(step, pauseNanoseconds: 0, at: now) {
      ceilingTimes[step] = now
      settle(step, .timedOut, nil, at: now)
    }
  }
}
