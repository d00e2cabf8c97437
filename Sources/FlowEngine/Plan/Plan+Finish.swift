import FlowModel

extension Plan {
  /// How long a body that was told to end may take before its place is given away.
  static let graceNanoseconds = 1_000_000_000
  /// How long the steps together may take that run while the run is being cancelled.
  static let cleanupNanoseconds = 5_000_000_000

  mutating func finish(_ step: StepIndex, _ attempt: UInt8, _ ending: Ending, at now: Int) {
    let place = Int(step)
    if lingering.removeValue(forKey: Attempt(step: step, attempt: attempt)) != nil {
      returnLate(step, attempt, at: now)
    } else if states[place].status == .running, states[place].attempt == attempt {
      givePlaceBack(step)
      conclude(step, ending, at: now)
    } else if states[place].marks.contains(.serving), states[place].attempt == attempt {
      endService(step, ending, at: now)
    } else if mainHolder == step {
      mainHolder = nil
      queues[Int(traits[place].queue)].taken -= 1
    }
  }

  private mutating func conclude(_ step: StepIndex, _ ending: Ending, at now: Int) {
    switch ending {
    case .success: succeed(step, at: now)
    case .cancelled:
      failures[step] = StepFailure(code: "error", message: "the step ended as cancelled though nobody cancelled it")
      settle(step, .failure, nil, at: now)
    case .failure(let failure, let isRetryable, let pause):
      failures[step] = failure
      if isRetryable, retry(step, pauseNanoseconds: pause, at: now) { return }
      settle(step, .failure, nil, at: now)
    }
  }

  /// Settles a success, or holds it until the step's floor.
  mutating func succeed(_ step: StepIndex, at now: Int) {
    if !failures.isEmpty { failures[step] = nil }
    if traits[Int(step)].flags.contains(.timed),
      let min = graph.workflow.steps[Int(step)].options.deadline?.min?.nanoseconds,
      states[Int(step)].startedAt + min > now
    {
      leave(.running, step)
      states[Int(step)].status = .holding
      holdingCount += 1
      if !traits[Int(step)].flags.contains(.idle) { busyCount += 1 }
      timers.insert(
        PlanTimer(atNanoseconds: states[Int(step)].startedAt + min, kind: .floor, step: step, attempt: 0))
    } else {
      settle(step, .success, nil, at: now)
    }
  }

  /// Sets the timer of another try; false when there is none to have.
  mutating func retry(_ step: StepIndex, pauseNanoseconds: Int, at now: Int) -> Bool {
    let options = graph.workflow.steps[Int(step)].options
    let attempt = Int(states[Int(step)].attempt)
    guard let policy = options.retry, attempt < policy.attempts else { return false }
    var pause = Double(policy.delay.nanoseconds)
    for _ in 1..<attempt where pause < Double(policy.maxDelay.nanoseconds) { pause *= policy.backoff }
    pause = min(pause, Double(policy.maxDelay.nanoseconds))
    if policy.jitter == .full { pause *= jitter(step, attempt) }
    let delay = max(Int(pause), pauseNanoseconds)
    if let ceiling = options.deadline?.max, now + delay >= states[Int(step)].startedAt + ceiling.nanoseconds {
      return false
    }
    leave(.running, step)
    states[Int(step)].status = .retrying
    retryingCount += 1
    note(.retrying, step, at: now, Int32(clamping: delay / 1000))
    timers.insert(
      PlanTimer(atNanoseconds: now + delay, kind: .retry, step: step, attempt: UInt8(attempt)))
    return true
  }

  // MARK: Bodies that were told to end

  /// Tells a running body to end and keeps its place until it does, at most for the grace.
  mutating func tellToEnd(_ step: StepIndex, at now: Int) {
    let attempt = states[Int(step)].attempt
    effects.append(.cancel(step, attempt: Int(attempt)))
    lingering[Attempt(step: step, attempt: attempt)] = now
    timers.insert(
      PlanTimer(atNanoseconds: now + Self.graceNanoseconds, kind: .grace, step: step, attempt: attempt))
  }

  private mutating func returnLate(_ step: StepIndex, _ attempt: UInt8, at now: Int) {
    givePlaceBack(step)
    noteOverrun(step, attempt, at: now)
  }

  private mutating func noteOverrun(_ step: StepIndex, _ attempt: UInt8, at now: Int) {
    guard let ceiling = ceilingTimes[step], states[Int(step)].attempt == attempt else { return }
    overruns[step] = now - ceiling
  }

  /// Gives up waiting for a body whose grace is over.
  mutating func abandon(_ step: StepIndex, _ attempt: UInt8, at now: Int) {
    if isClosing, states[Int(step)].marks.contains(.serving), states[Int(step)].attempt == attempt {
      states[Int(step)].marks.remove(.serving)
      states[Int(step)].marks.insert(.abandoned)
      servingSteps.remove(step)
      return
    }
    guard lingering.removeValue(forKey: Attempt(step: step, attempt: attempt)) != nil else { return }
    noteOverrun(step, attempt, at: now)
    states[Int(step)].marks.insert(.abandoned)
    // Nobody can replace the main thread: its place stays taken until the body returns. The run's goes on without it.
    if queues[Int(traits[Int(step)].queue)].lane == .main {
      mainHolder = step
      takenCount -= 1
    } else {
      givePlaceBack(step)
    }
  }

  // MARK: Services

  mutating func reportReady(_ step: StepIndex, _ attempt: UInt8, at now: Int) {
    let place = Int(step)
    guard states[place].status == .running, states[place].attempt == attempt,
      traits[place].flags.contains(.service)
    else { return }
    givePlaceBack(step)
    states[place].marks.insert(.serving)
    servingSteps.insert(step)
    succeed(step, at: now)
  }

  private mutating func endService(_ step: StepIndex, _ ending: Ending, at now: Int) {
    states[Int(step)].marks.remove(.serving)
    servingSteps.remove(step)
    guard case .failure(let failure, _, _) = ending, !isClosing else { return }
    failures[step] = failure
    if states[Int(step)].status == .done {
      if states[Int(step)].outcome == .success { states[Int(step)].marks.insert(.failedAfterReady) }
    } else {
      settle(step, .failure, nil, at: now)
    }
  }
}
