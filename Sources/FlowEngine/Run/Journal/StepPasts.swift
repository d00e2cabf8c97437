import FlowModel

/// What the facts of a run say of each step.
struct StepPasts {
  struct Past {
    /// How it ended, when it did.
    var settled: SettledStep?
    var failedAfterReady = false
    /// Tries, and those that do not count against its retries.
    var attempts = 0
    var uncounted = 0
    /// How often a success of it was given up.
    var repetitions = 0
    /// Whether it was settled because a try of it had been interrupted.
    var failedInterrupted = false
    /// Whether a try began of which nothing more is known.
    var isInterrupted = false
  }

  private(set) var steps: [Past]
  /// Whether the launch was known.
  private(set) var isActivated = false

  init(_ facts: [PlanFact], count: Int) {
    steps = Array(repeating: Past(), count: count)
    for fact in facts { take(fact) }
  }

  private mutating func take(_ fact: PlanFact) {
    switch fact {
    case .settled(let settled, let failure):
      let index = Int(settled.step)
      endTry(of: index)
      steps[index].settled = settled
      steps[index].failedInterrupted = failure?.code == "interrupted"
      steps[index].attempts = Int(settled.attempts)
    case .tried(let step, let attempt, _, _):
      endTry(of: Int(step))
      steps[Int(step)].attempts = attempt
    case .started(let step, let attempt, _):
      steps[Int(step)].attempts = attempt
      steps[Int(step)].uncounted += 1
      steps[Int(step)].isInterrupted = true
    case .carried(let step, let attempts, let uncounted, let repetitions):
      steps[Int(step)].attempts = attempts
      steps[Int(step)].uncounted = uncounted
      steps[Int(step)].repetitions = repetitions
    case .failedAfterReady(let step, _, _): steps[Int(step)].failedAfterReady = true
    case .activated: isActivated = true
    case .posted, .gateOpened, .cancelled: break
    }
  }

  private mutating func endTry(of index: Int) {
    guard steps[index].isInterrupted else { return }
    steps[index].isInterrupted = false
    steps[index].uncounted -= 1
  }
}

extension StepPasts.Past {
  /// Whether a step that must not run twice by itself stays as it is.
  var stopsAtInterrupt: Bool { isInterrupted || failedInterrupted }

  /// What becomes of the step by what it came to alone.
  func fate(isOptional: Bool) -> ResumePlan.Fate {
    guard let settled else { return .again(.unfinished) }
    switch settled.outcome {
    case .success: return failedAfterReady ? .again(.ended(.failure)) : .kept
    case .skipped:
      return settled.reason == .condition || settled.reason == .disabled ? .kept : .again(.ended(.skipped))
    // An optional failure concludes as a success.
    case .failure, .timedOut: return isOptional ? .kept : .again(.ended(settled.outcome))
    case .cancelled: return .again(.ended(.cancelled))
    }
  }

  /// The tries that a resume takes along. A success that is given up begins a new key, and its tries with it; a failure
  /// that is has all its tries again, under numbers that go on.
  func carried(isKept: Bool) -> (attempts: Int, uncounted: Int, repetitions: Int) {
    guard let settled, !isKept else { return (attempts, uncounted, repetitions) }
    if settled.outcome == .success, !failedAfterReady { return (0, 0, repetitions + 1) }
    return (attempts, attempts, repetitions)
  }
}
