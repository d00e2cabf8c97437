import FlowModel

// The life of a task, which is a step or an item: its body begins and then returns, throws or takes too long; the task
// succeeds, pauses before another attempt, or fails. The only dependent of an item is its own step, which `refresh`
// updates.
extension Plan {
  /// The default grace: the time that a body has to return after it was asked to end. The grace of a command depends on
  /// its `stop`.
  package static let usualGraceNanoseconds = 1_000_000_000
  /// The default time limit for all cleanup steps of a cancelled run. The workflow's `cleanup` replaces it.
  package static let cleanupNanoseconds = 5_000_000_000

  /// Starts an attempt of a task and returns it, so that the driver runs its body.
  @inline(__always)
  mutating func start(_ task: PlanTask, at now: Int) -> (step: StepIndex, attempt: Int) {
    move(task, to: .running)
    occupy(task)
    let readyAt = task.isItem ? states[task.step].readyAt : never
    let (isFirst, attempt) = change(task) { state in
      state.attempt += 1
      guard state.startedAt == never else { return (false, Int(state.attempt)) }
      state.startedAt = now
      state.readyAt = max(state.readyAt, readyAt)
      return (true, Int(state.attempt))
    }
    if isFirst {
      // A first start with a higher attempt number follows attempts that a resumed run has restored.
      if attempt > 1 { particulars.attemptTimes[task.index]?.noteStart(at: now) }
    } else {
      particulars.attemptTimes[task.index, default: []].noteStart(at: now)
      noteEntry(.begun(task.instance, isRemote: false, atNanoseconds: now))
    }
    if journal?.keepsStarts == true { noteEntry(.started(task.instance, attempt: attempt, atNanoseconds: now)) }
    if task.isItem, states[task.step].startedAt == never { noteFirstStart(of: task.step, at: now) }
    // An executor may queue the body, so a remote step counts as started only when its worker reports that it has
    // begun.
    if !isRemote(task.step) {
      if traits[task.step].flags.contains(.timed) { setMaximums(task, isFirst: isFirst, at: now) }
      noteStart(of: task, at: now)
    }
    return (task.index, attempt)
  }

  /// Handles the end of a body, which may belong to a running task, to one that was asked to end, to a service, or to
  /// an abandoned step on the main thread.
  mutating func takeEnd(of task: PlanTask, _ attempt: UInt8, _ ending: Ending, at now: Int) {
    let state = self[state: task]
    if outstanding.cancelling.removeValue(forKey: Attempt(step: task.index, attempt: attempt)) != nil {
      vacate(task)
      noteOverrun(task, attempt, at: now)
    } else if state.status == .running, state.attempt == attempt {
      vacate(task)
      finish(task, endedBy: ending, at: now)
    } else if state.marks.contains(.serving), state.attempt == attempt {
      endService(task.step, ending, at: now)
    } else if outstanding.mainHolder == task.index {
      outstanding.mainHolder = nil
      queues[traits[task.step].queue].occupied -= 1
    }
    refresh(task, at: now)
  }

  private mutating func finish(_ task: PlanTask, endedBy ending: Ending, at now: Int) {
    switch ending {
    case .success: succeed(task, at: now)
    case .upToDate: finish(task, .skipped, .upToDate, at: now)
    case .interrupted(let failure, let isFinal):
      if repeats(task, after: failure, isFinal: isFinal, at: now) { return enqueue(task, at: now) }
      finish(task, .failure, nil, at: now)
    case .cancelled:
      particulars.failures[task.index] = StepFailure(
        code: "error",
        message: "the \(task.isItem ? "item" : "step") reported cancellation without being cancelled")
      finish(task, .failure, nil, at: now)
    case .failure(let failure, let isRetryable, let pause):
      particulars.failures[task.index] = failure
      if isRetryable, retry(task, pauseNanoseconds: pause, at: now) { return }
      finish(task, .failure, nil, at: now)
    }
  }

  /// Finishes a task as succeeded. If its minimum has not been reached, the task is held until then.
  mutating func succeed(_ task: PlanTask, at now: Int) {
    if !particulars.failures.isEmpty { particulars.failures[task.index] = nil }
    let startedAt = self[state: task].startedAt
    if traits[task.step].flags.contains(.timed), let min = options(of: task.step).deadline?.min?.nanoseconds,
      startedAt + min > now
    {
      move(task, to: .holding)
      particulars.noteAttemptEnd(of: task.index, startedAt: startedAt, at: now)
      timers.insert(PlanTimer(atNanoseconds: startedAt + min, kind: .minimum, step: task.index, attempt: 0))
    } else {
      finish(task, .success, nil, at: now)
    }
  }

  /// Schedules another attempt. Returns false if the retry policy allows no further attempt, or if the step's maximum
  /// would be reached during the pause.
  mutating func retry(_ task: PlanTask, pauseNanoseconds: Int, at now: Int) -> Bool {
    let state = self[state: task]
    guard let pause = pause(of: task, after: state, asked: pauseNanoseconds, at: now) else { return false }
    move(task, to: .retrying)
    particulars.noteAttemptEnd(of: task.index, startedAt: state.startedAt, at: now)
    let (attempt, failure) = (Int(state.attempt), particulars.failures[task.index])
    noteEntry(.tried(task.instance, attempt: attempt, failure, atNanoseconds: now))
    noteRetry(of: task.index, attempt: attempt, failure, delayNanoseconds: pause, at: now)
    timers.insert(PlanTimer(atNanoseconds: now + pause, kind: .retry, step: task.index, attempt: state.attempt))
    return true
  }

  /// Returns the pause before the next attempt. Returns nil if the retry policy allows no further attempt, or if the
  /// step's maximum would be reached during the pause.
  @inline(__always)
  private func pause(of task: PlanTask, after state: StepState, asked: Int, at now: Int) -> Int? {
    let options = options(of: task.step)
    let counted = max(1, Int(state.attempt) - Int(particulars.interruptions[task.index] ?? 0))
    guard let policy = options.retry, counted < policy.attempts else { return nil }
    var pause = Double(policy.delay.nanoseconds)
    for _ in 1..<counted where pause < Double(policy.maxDelay.nanoseconds) { pause *= policy.backoff }
    pause = min(pause, Double(policy.maxDelay.nanoseconds))
    if policy.jitter == .full {
      // The instance of an item is not used as the seed, because it depends on the order in which fan-outs were
      // expanded.
      let seed = task.isItem ? Int(task.step) &+ (task.item &+ 1) &* 1_000_003 : Int(task.step)
      pause *= jitter(StepIndex(truncatingIfNeeded: seed), Int(state.attempt))
    }
    let delay = max(Int(pause), asked)
    if let maximum = options.deadline?.max, now + delay >= state.startedAt + maximum.nanoseconds { return nil }
    return delay
  }

  // MARK: Bodies that were asked to end

  /// Asks a running body to end. The body occupies its queue until it returns or its grace ends.
  mutating func tellToEnd(_ task: PlanTask, at now: Int) {
    let attempt = self[state: task].attempt
    effects.append(.cancel(task.index, attempt: Int(attempt)))
    outstanding.cancelling[Attempt(step: task.index, attempt: attempt)] = now
    timers.insert(
      PlanTimer(atNanoseconds: now + grace(task.step), kind: .grace, step: task.index, attempt: attempt))
  }

  /// Extends the grace of a body that was asked to end and has requested `time` to do so.
  mutating func extendGrace(_ task: PlanTask, _ attempt: Int, by time: Int, at now: Int) {
    let key = Attempt(step: task.index, attempt: UInt8(clamping: attempt))
    let end = now + time + Self.usualGraceNanoseconds
    guard end > particulars.graceEnds[key] ?? now else { return }
    particulars.graceEnds[key] = end
    timers.insert(PlanTimer(atNanoseconds: end, kind: .grace, step: task.index, attempt: key.attempt))
  }

  private mutating func noteOverrun(_ task: PlanTask, _ attempt: UInt8, at now: Int) {
    guard let maximum = particulars.maximumTimes[task.index], self[state: task].attempt == attempt else { return }
    particulars.overruns[task.index] = now - maximum
    noteEntry(.outlasted(task.instance, overrunNanoseconds: now - maximum, isAbandoned: false))
  }

  /// Stops waiting for a body whose grace has ended.
  mutating func abandon(_ task: PlanTask, _ attempt: UInt8, at now: Int) {
    if let end = particulars.graceEnds[Attempt(step: task.index, attempt: attempt)], now < end { return }
    if !task.isItem, outstanding.stopping.contains(task.step), states[task.step].attempt == attempt {
      change(task) { $0.marks = $0.marks.subtracting(.serving).union(.abandoned) }
      noteEntry(.outlasted(task.instance, overrunNanoseconds: nil, isAbandoned: true))
      return noteStop(ofService: task.step, at: now)
    }
    let key = Attempt(step: task.index, attempt: attempt)
    guard outstanding.cancelling.removeValue(forKey: key) != nil else { return }
    noteOverrun(task, attempt, at: now)
    change(task) { $0.marks.formUnion(.abandoned) }
    noteEntry(
      .outlasted(task.instance, overrunNanoseconds: particulars.overruns[task.index], isAbandoned: true))
    // The main thread cannot be replaced, so its queue stays occupied until the body returns. Other steps of the run
    // continue.
    let isOnMain = queues[traits[task.step].queue].pool == .main
    if isOnMain { outstanding.mainHolder = task.index }
    vacate(task, keepsQueue: isOnMain)
  }
}
