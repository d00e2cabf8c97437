import FlowModel

extension Plan {
  /// Handles all timers that are due at `now`, in order.
  mutating func handleTimers(at now: Int) {
    while let timer = timers.first, timer.atNanoseconds <= now, endedAt == nil {
      timers.removeFirst()
      switch timer.kind {
      case .cleanupLimit: endCleanup(at: now)
      case .mainLimit: endMainHold(at: now)
      case .runLimit:
        guard now >= limitAt, cancelledAt == never, !isClosing else { break }
        hasTimedOut = true
        effects.append(.timedOut)
      case .deadline, .retry, .minimum, .grace: handle(timer, of: task(timer.step), at: now)
      }
      finishCollected(at: now)
    }
  }

  private mutating func handle(_ timer: PlanTimer, of task: PlanTask, at now: Int) {
    let state = self[state: task]
    switch timer.kind {
    case .deadline where timer.attempt == 0: timeOut(task, at: now)
    case .deadline: timeOutAttempt(task, timer.attempt, at: now)
    case .retry: if state.status == .retrying, state.attempt == timer.attempt { enqueue(task, at: now) }
    case .minimum: if state.status == .holding { finish(task, .success, nil, at: now) }
    case .grace: abandon(task, timer.attempt, at: now)
    case .cleanupLimit, .mainLimit, .runLimit: break
    }
    refresh(task, at: now)
  }

  /// Sets the time limit of the run, counted from `start`. An earlier limit no longer applies.
  mutating func limitRun(from start: Int) {
    guard let timeout = graph.workflow.timeout else { return }
    limitAt = start + timeout.nanoseconds
    timers.insert(PlanTimer(atNanoseconds: limitAt, kind: .runLimit, step: 0, attempt: 0))
  }

  /// Sets the timer for the maximum of a task if its first attempt starts, and the timer for the maximum of this
  /// attempt.
  mutating func setMaximums(_ task: PlanTask, isFirst: Bool, at now: Int) {
    let step = graph.workflow.steps[Int(task.step)]
    func setDeadline(in time: Duration, attempt: UInt8) {
      timers.insert(
        PlanTimer(atNanoseconds: now + time.nanoseconds, kind: .deadline, step: task.index, attempt: attempt))
    }
    if isFirst, let max = step.withOptions({ $0.deadline?.max }) { setDeadline(in: max, attempt: 0) }
    if let max = step.withOptions({ $0.retry?.attemptDeadline }) {
      particulars.attemptStarts[task.index] = now
      setDeadline(in: max, attempt: self[state: task].attempt)
    }
  }

  /// Returns the earliest time at which this attempt, its task or the whole fan-out times out, or nil if there is no
  /// limit.
  func maximum(of index: StepIndex, attempt: Int) -> Int? {
    let task = task(index)
    let startedAt = self[state: task].startedAt
    guard task.isItem || traits[task.step].flags.contains(.timed), startedAt != never else { return nil }
    let options = options(of: task.step)
    let start = isRemote(task.step) ? particulars.beginnings[index]?.firstAt : startedAt
    let whole = start.flatMap { start in options.deadline?.max.map { start + $0.nanoseconds } }
    let single = options.retry?.attemptDeadline.map {
      (particulars.attemptStarts[index] ?? startedAt) + $0.nanoseconds
    }
    let all = task.isItem ? options.fanOut?.deadline.map { states[task.step].startedAt + $0.nanoseconds } : nil
    return [whole, single, all].compactMap { $0 }.min()
  }

  private mutating func timeOut(_ task: PlanTask, at now: Int) {
    if !task.isItem, traits[task.step].flags.contains(.fanOut) { return timeOutFanOut(task.step, at: now) }
    switch self[state: task].status {
    case .running:
      particulars.maximumTimes[task.index] = now
      tellToEnd(task, at: now)
      finish(task, .timedOut, nil, at: now)
    case .queued where task.isItem:
      fanOuts[task.fanOut].again.remove(task.item)
      finish(task, .timedOut, nil, at: now)
    case .queued, .retrying:
      finish(task, .timedOut, nil, at: now)
    case .waiting, .held, .deciding, .holding, .done:
      break
    }
  }

  /// Handles an attempt that has reached its maximum: the attempt fails, and another one may follow.
  private mutating func timeOutAttempt(_ task: PlanTask, _ attempt: UInt8, at now: Int) {
    guard isAwaiting(task, attempt: Int(attempt)) else { return }
    tellToEnd(task, at: now)
    let limit = options(of: task.step).retry?.attemptDeadline.map(DurationText.format) ?? ""
    particulars.failures[task.index] = StepFailure(
      code: "attempt-deadline", message: "attempt \(attempt) took longer than \(limit)")
    let reasons = options(of: task.step).retry?.reasons
    let isAllowed = reasons?.allow(.timedOut, code: "attempt-deadline") ?? true
    if !isAllowed || !retry(task, pauseNanoseconds: 0, at: now) {
      particulars.maximumTimes[task.index] = now
      finish(task, .timedOut, nil, at: now)
    }
  }
}
