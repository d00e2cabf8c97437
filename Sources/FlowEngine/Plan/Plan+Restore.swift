import FlowModel

// A run that goes on in another process: a fresh plan takes in what came out of the run before, then `started`, and
// everything else follows from its own rules.
//
// What is restored does not go through `apply`: what follows there from any change (idle steps, the look for quiet) would
// come too early, before all facts are in. A step that the facts leave out runs again, even where steps behind it are
// settled: a step's end only touches what still waits.
extension Plan {
  /// Readies a fresh plan for the facts of a run.
  ///
  /// - Parameter wasPrewarmed: whether the run was prewarmed: until its `activated` fact it then only held back.
  package mutating func beginRestoring(wasPrewarmed: Bool) {
    precondition(!hasStarted && journal == nil, "a plan is restored before it starts")
    isPrewarming = wasPrewarmed
  }

  /// Takes in a fact, in the order in which they came out.
  package mutating func restore(_ fact: PlanFact) {
    endSeries()
    _ = tables.makeUnique()
    switch fact {
    case .activated(let resolution, let time): activate(resolution, at: time)
    case .settled(let settled, let failure): restore(settled, failure)
    case .tried(let step, let attempt, let failure, let time):
      guard states[step].status != .done else { return }
      particulars.noteTryEnd(of: step, startedAt: never, at: time)
      states[step].attempt = Self.attempts(attempt)
      particulars.failures[step] = failure
      let interrupted = particulars.interruptions[step] ?? 0
      particulars.interruptions[step] = interrupted > 0 ? interrupted - 1 : 0
    case .started(let step, let attempt, let time):
      restoreStart(of: step, Self.attempts(attempt))
      particulars.tries[step]?.noteStart(at: time)
    case .begun(let step, let isRemote, let time):
      guard states[step].status != .done else { return }
      particulars.tries[step]?.noteStart(at: time)
      guard isRemote else { return }
      particulars.noteBeginning(of: step, attempt: states[step].attempt, at: time)
    case .posted(let name, let time):
      post(name, at: time)
      settleCollected(at: time)
    case .gateOpened(let opened):
      openGate(opened, at: opened.atNanoseconds)
      settleCollected(at: opened.atNanoseconds)
    case .failedAfterReady(let step, let failure, let time):
      particulars.failures[step] = failure
      failAfterReady(step, failure, at: time)
    case .carried(let step, let attempts, let uncounted, _):
      carryTries(of: step, attempts: attempts, uncounted: uncounted)
    case .expanded(let step, let hashes, _): recallItems(of: step, hashes)
    case .grown(let step, let count, _): recallPosts(of: step, count)
    case .item(let step, let fact): recallItem(of: step, fact)
    // What was cancelled goes on.
    case .cancelled: break
    }
  }

  /// All facts are in: the run goes on at `now`. A gate that has not opened counts from there, since whoever waits for it
  /// sees a new beginning.
  package mutating func endRestoring(at now: Int, gateCountsAnew: Bool) {
    isPrewarming = false
    func isOver(_ step: StepIndex) -> Bool { Int(step) >= states.count || states[step].status == .done }
    particulars.failures = particulars.failures.filter { isOver($0.key) }
    particulars.beginnings = particulars.beginnings.filter { isOver($0.key) }
    // Who followed a repeating event had its posts told before.
    effects.removeAll { effect in
      switch effect {
      case .posted, .gather: true
      default: false
      }
    }
    limitRun(from: now)
    if gateCountsAnew, readiness.outcome == nil { readiness.countsFrom = now }
  }

  /// Tries are counted in a byte; those that crashes interrupted must not fill it.
  private static func attempts(_ attempt: Int) -> UInt8 { UInt8(clamping: min(attempt, 150)) }

  private mutating func restore(_ settled: SettledStep, _ failure: StepFailure?) {
    let step = settled.step
    if states[step].status != .done {
      // Also where there is none: what an earlier try failed with is over with a success.
      particulars.failures[step] = failure
      if traits[step].flags.contains(.fan) { rebuildItems(of: step, settled.outcome, at: settled.endedAt) }
      settle(step, settled.outcome, settled.reason, at: settled.endedAt)
      settleCollected(at: settled.endedAt)
    }
    states[step].attempt = settled.attempts
    states[step].readyAt = settled.readyAt
    states[step].startedAt = settled.startedAt
    states[step].endedAt = settled.endedAt
    if settled.isAbandoned { states[step].marks.insert(.abandoned) }
    // The last try, of whose start nothing may be known.
    particulars.tries[step]?.noteStart(at: never)
    particulars.interruptions[step] = nil
  }

  /// A try had begun: it counts as interrupted until its failure is told.
  private mutating func restoreStart(of step: StepIndex, _ attempt: UInt8) {
    guard states[step].status != .done else { return }
    states[step].attempt = attempt
    particulars.interruptions[step, default: 0] = min(100, particulars.interruptions[step, default: 0] + 1)
  }

  /// Says how many tries a step that runs again has had, and how many of them count neither against its retries.
  private mutating func carryTries(of step: StepIndex, attempts: Int, uncounted: Int) {
    guard states[step].status != .done else { return }
    states[step].attempt = Self.attempts(attempts)
    particulars.interruptions[step] = Self.attempts(uncounted)
  }
}
