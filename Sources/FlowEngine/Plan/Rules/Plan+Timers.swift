import FlowModel

extension Plan {
  /// Handles whatever is due at `now`, in order.
  mutating func handleTimers(at now: Int) {
    while let timer = timers.first, timer.atNanoseconds <= now, endedAt == nil {
      timers.removeFirst()
      handle(timer, at: now)
      finishCollected(at: now)
    }
  }

  private mutating func handle(_ timer: PlanTimer, at now: Int) {
    let step = timer.step
    if Int(step) >= states.count { return handleItemTimer(timer, at: now) }
    switch timer.kind {
    case .deadline: timer.attempt == 0 ? timeOut(step, at: now) : timeOutAttempt(step, timer.attempt, at: now)
    case .retry:
      guard states[step].status == .retrying, states[step].attempt == timer.attempt else { return }
      enqueue(step, at: now)
    case .minimum:
      if states[step].status == .holding { finish(step, .success, nil, at: now) }
    case .grace: abandon(step, timer.attempt, at: now)
    case .cleanupLimit: endCleanup(at: now)
    case .mainLimit: endMainHold(at: now)
    case .runLimit: if now >= limitAt, cancelledAt == never, !isClosing { effects.append(.timedOut) }
    }
  }

  /// Sets the time that the run has from `start`; one that was set before does not count any more.
  mutating func limitRun(from start: Int) {
    guard let timeout = graph.workflow.timeout else { return }
    limitAt = start + timeout.nanoseconds
    timers.insert(PlanTimer(atNanoseconds: limitAt, kind: .runLimit, step: 0, attempt: 0))
  }

  /// The step's own maximum: it has timed out for everybody else.
  private mutating func timeOut(_ step: StepIndex, at now: Int) {
    if traits[step].flags.contains(.fanOut) { return timeOutFanOut(step, at: now) }
    switch states[step].status {
    case .running:
      particulars.maximumTimes[step] = now
      tellToEnd(step, at: now)
      finish(step, .timedOut, nil, at: now)
    case .queued, .retrying:
      finish(step, .timedOut, nil, at: now)
    case .waiting, .held, .deciding, .holding, .done:
      break
    }
  }

  /// The maximum of one attempt: it counts as failed, and the next may follow.
  private mutating func timeOutAttempt(_ step: StepIndex, _ attempt: UInt8, at now: Int) {
    guard states[step].status == .running, states[step].attempt == attempt else { return }
    tellToEnd(step, at: now)
    let limit = options(of: step).retry?.attemptDeadline.map(DurationText.format) ?? ""
    particulars.failures[step] = StepFailure(
      code: "attempt-deadline", message: "attempt \(attempt) took longer than \(limit)")
    if !retry(step, pauseNanoseconds: 0, at: now) {
      particulars.maximumTimes[step] = now
      finish(step, .timedOut, nil, at: now)
    }
  }
}
