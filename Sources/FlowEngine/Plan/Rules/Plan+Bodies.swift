import FlowModel

// What the plan hears of bodies: that they returned, that a service is ready, that one does not return.
extension Plan {
  /// How long a body that was asked to end may take before its capacity is given away.
  static let graceNanoseconds = 1_000_000_000
  /// How long the steps together may take that run while the run is being cancelled.
  static let cleanupNanoseconds = 5_000_000_000

  /// A body returned or threw: that of a running step, of one that was asked to end, of a service, or of one that had been
  /// given up.
  mutating func takeEnd(of step: StepIndex, _ attempt: UInt8, _ ending: Ending, at now: Int) {
    if outstanding.cancelling.removeValue(forKey: Attempt(step: step, attempt: attempt)) != nil {
      vacate(step)
      noteOverrun(step, attempt, at: now)
    } else if states[step].status == .running, states[step].attempt == attempt {
      vacate(step)
      finish(step, endedBy: ending, at: now)
    } else if states[step].marks.contains(.serving), states[step].attempt == attempt {
      endService(step, ending, at: now)
    } else if outstanding.mainHolder == step {
      outstanding.mainHolder = nil
      queues[traits[step].queue].occupied -= 1
    }
  }

  private mutating func finish(_ step: StepIndex, endedBy ending: Ending, at now: Int) {
    switch ending {
    case .success: succeed(step, at: now)
    case .upToDate: finish(step, .skipped, .upToDate, at: now)
    case .interrupted(let failure, let isFinal):
      if repeats(step, of: step, after: failure, isFinal: isFinal, attempt: Int(states[step].attempt), at: now) {
        return enqueue(step, at: now)
      }
      finish(step, .failure, nil, at: now)
    case .cancelled:
      particulars.failures[step] = StepFailure(
        code: "error", message: "the step reported cancellation without being cancelled")
      finish(step, .failure, nil, at: now)
    case .failure(let failure, let isRetryable, let pause):
      particulars.failures[step] = failure
      if isRetryable, retry(step, pauseNanoseconds: pause, at: now) { return }
      finish(step, .failure, nil, at: now)
    }
  }

  /// Finishes a success, or holds it until the step's minimum.
  mutating func succeed(_ step: StepIndex, at now: Int) {
    if !particulars.failures.isEmpty { particulars.failures[step] = nil }
    if traits[step].flags.contains(.timed), let min = options(of: step).deadline?.min?.nanoseconds,
      states[step].startedAt + min > now
    {
      move(step, to: .holding)
      particulars.noteAttemptEnd(of: step, startedAt: states[step].startedAt, at: now)
      timers.insert(PlanTimer(atNanoseconds: states[step].startedAt + min, kind: .minimum, step: step, attempt: 0))
    } else {
      finish(step, .success, nil, at: now)
    }
  }

  /// Sets the timer of another attempt; false when there is none to have.
  mutating func retry(_ step: StepIndex, pauseNanoseconds: Int, at now: Int) -> Bool {
    let attempt = Int(states[step].attempt)
    let pause = pause(
      options(of: step), after: states[step], interruptions: particulars.interruptions[step], asked: pauseNanoseconds,
      at: now
    ) { [jitter] in jitter(step, attempt) }
    guard let pause else { return false }
    move(step, to: .retrying)
    particulars.noteAttemptEnd(of: step, startedAt: states[step].startedAt, at: now)
    let failure = particulars.failures[step]
    noteEntry(.tried(step, attempt: attempt, failure, atNanoseconds: now))
    noteRetry(of: step, attempt: attempt, failure, delayNanoseconds: pause, at: now)
    timers.insert(PlanTimer(atNanoseconds: now + pause, kind: .retry, step: step, attempt: UInt8(attempt)))
    return true
  }

  /// How long to wait before another attempt of what stands so; nil: there is none to have.
  func pause(
    _ options: StepOptions, after state: StepState, interruptions: UInt8?, asked: Int, at now: Int, draw: () -> Double
  ) -> Int? {
    let counted = max(1, Int(state.attempt) - Int(interruptions ?? 0))
    guard let policy = options.retry, counted < policy.attempts else { return nil }
    var pause = Double(policy.delay.nanoseconds)
    for _ in 1..<counted where pause < Double(policy.maxDelay.nanoseconds) { pause *= policy.backoff }
    pause = min(pause, Double(policy.maxDelay.nanoseconds))
    if policy.jitter == .full { pause *= draw() }
    let delay = max(Int(pause), asked)
    if let maximum = options.deadline?.max, now + delay >= state.startedAt + maximum.nanoseconds { return nil }
    return delay
  }

  // MARK: Bodies that were asked to end

  /// Tells a running body to end and keeps its capacity until it does, at most for the grace.
  mutating func tellToEnd(_ step: StepIndex, at now: Int) {
    let attempt = states[step].attempt
    effects.append(.cancel(step, attempt: Int(attempt)))
    outstanding.cancelling[Attempt(step: step, attempt: attempt)] = now
    timers.insert(PlanTimer(atNanoseconds: now + Self.graceNanoseconds, kind: .grace, step: step, attempt: attempt))
  }

  private mutating func noteOverrun(_ step: StepIndex, _ attempt: UInt8, at now: Int) {
    guard let maximum = particulars.maximumTimes[step], states[step].attempt == attempt else { return }
    particulars.overruns[step] = now - maximum
  }

  /// Gives up waiting for a body whose grace is over.
  mutating func abandon(_ step: StepIndex, _ attempt: UInt8, at now: Int) {
    if isClosing, states[step].marks.contains(.serving), states[step].attempt == attempt {
      states[step].marks.remove(.serving)
      states[step].marks.insert(.abandoned)
      outstanding.serving.remove(step)
      return
    }
    guard outstanding.cancelling.removeValue(forKey: Attempt(step: step, attempt: attempt)) != nil else { return }
    noteOverrun(step, attempt, at: now)
    states[step].marks.insert(.abandoned)
    // The main thread cannot be replaced: its queue stays occupied until the body returns. The run continues without it.
    if queues[traits[step].queue].pool == .main {
      outstanding.mainHolder = step
      counts.occupied -= 1
    } else {
      vacate(step)
    }
  }

  // MARK: Services

  /// A service reported ready: it is finished for everybody else, and continues.
  mutating func reportReady(_ step: StepIndex, _ attempt: UInt8, at now: Int) {
    guard states[step].status == .running, states[step].attempt == attempt, traits[step].flags.contains(.service)
    else { return }
    vacate(step)
    states[step].marks.insert(.serving)
    outstanding.serving.insert(step)
    succeed(step, at: now)
  }

  /// A service that its dependents saw ready has failed.
  mutating func failAfterReady(_ step: StepIndex, _ failure: StepFailure, at now: Int) {
    states[step].marks.insert(.failedAfterReady)
    noteEntry(.failedAfterReady(step, failure, atNanoseconds: now))
  }

  private mutating func endService(_ step: StepIndex, _ ending: Ending, at now: Int) {
    states[step].marks.remove(.serving)
    outstanding.serving.remove(step)
    guard case .failure(let failure, _, _) = ending, !isClosing else { return }
    particulars.failures[step] = failure
    if states[step].status == .done {
      if states[step].outcome == .success { failAfterReady(step, failure, at: now) }
    } else {
      finish(step, .failure, nil, at: now)
    }
  }
}
