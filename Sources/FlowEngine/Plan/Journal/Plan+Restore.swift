import FlowModel

// A run that continues in another process: a fresh plan takes in the result of the run before, then `started`, and
// everything else follows from its own rules.
//
// What is restored does not go through `apply`: what follows there from any change (idle steps, the check for an idle
// run) would come too early, before all journal entries are in. A step that the journal entries leave out runs again,
// even where steps behind it are finished: a step's end only touches what still waits.
extension Plan {
  /// Readies a fresh plan for the journal entries of a run.
  ///
  /// - Parameter wasPrewarmed: whether the run was prewarmed: until its `activated` journal entry it then only held
  ///   back.
  package mutating func beginRestoring(wasPrewarmed: Bool) {
    precondition(!hasStarted && journal == nil, "a plan is restored before it starts")
    isPrewarming = wasPrewarmed
  }

  /// Applies a journal entry, in the order of the journal.
  package mutating func restore(_ entry: JournalEntry) { mutate { $0.takeIn(entry) } }

  private mutating func takeIn(_ entry: JournalEntry) {
    if let task = entry.task, task.item != nil {
      fanOuts.recalled[task.step, default: RecalledFanOut()].take(entry)
      return
    }
    switch entry {
    case .activated(let resolution, let time): activate(resolution, at: time)
    case .finished(let finished, let failure): restore(finished, failure)
    case .tried(let task, let attempt, let failure, let time):
      let step = task.step
      guard states[step].status != .done else { return }
      particulars.noteAttemptEnd(of: step, startedAt: never, at: time)
      states[step].attempt = Self.attempts(attempt)
      particulars.failures[step] = failure
      let interrupted = particulars.interruptions[step] ?? 0
      particulars.interruptions[step] = interrupted > 0 ? interrupted - 1 : 0
    case .started(let task, let attempt, let time):
      restoreStart(of: task.step, Self.attempts(attempt))
      particulars.attemptTimes[task.step]?.noteStart(at: time)
    case .begun(let task, let isRemote, let time):
      let step = task.step
      guard states[step].status != .done else { return }
      particulars.attemptTimes[step]?.noteStart(at: time)
      guard isRemote else { return }
      particulars.noteBeginning(of: step, attempt: states[step].attempt, at: time)
    case .posted(let name, let time):
      post(name, at: time)
      finishCollected(at: time)
    case .gateOpened(let opened):
      openGate(opened, at: opened.atNanoseconds)
      finishCollected(at: opened.atNanoseconds)
    case .failedAfterReady(let step, let failure, let time):
      particulars.failures[step] = failure
      failAfterReady(step, failure, at: time)
    case .carried(let task, let attempts, let uncounted, _):
      carryAttempts(of: task.step, attempts: attempts, uncounted: uncounted)
    case .expanded(let step, let hashes, _): fanOuts.recalled[step, default: RecalledFanOut()].take(hashes)
    case .grown(let step, let count, _): fanOuts.recalled[step, default: RecalledFanOut()].grow(to: count)
    // What was cancelled continues.
    case .cancelled: break
    }
  }

  /// All journal entries are in: the run continues at `now`. A gate that has not opened counts from there, since anyone
  /// who waits for it sees a new beginning.
  package mutating func endRestoring(at now: Int, gateCountsAnew: Bool) {
    isPrewarming = false
    func isOver(_ step: StepIndex) -> Bool { Int(step) >= states.count || states[step].status == .done }
    particulars.failures = particulars.failures.filter { isOver($0.key) }
    particulars.beginnings = particulars.beginnings.filter { isOver($0.key) }
    // Followers of a repeating event got its posts before.
    effects.removeAll { effect in
      switch effect {
      case .posted, .gather: true
      default: false
      }
    }
    limitRun(from: now)
    if gateCountsAnew, readiness.outcome == nil { readiness.countsFrom = now }
  }

  /// Attempts are counted in a byte; those that crashes interrupted must not fill it.
  private static func attempts(_ attempt: Int) -> UInt8 { UInt8(clamping: min(attempt, 150)) }

  private mutating func restore(_ finished: FinishedEntry, _ failure: StepFailure?) {
    let step = finished.task.step
    if states[step].status != .done {
      // Also where there is none: what an earlier attempt failed with is over with a success.
      particulars.failures[step] = failure
      if traits[step].flags.contains(.fanOut) { rebuildItems(of: step, finished.outcome, at: finished.endedAt) }
      finish(step, finished.outcome, finished.reason, at: finished.endedAt)
      finishCollected(at: finished.endedAt)
    }
    states[step].recall(finished)
    // The last attempt, of whose start nothing may be known.
    particulars.attemptTimes[step]?.noteStart(at: never)
    particulars.interruptions[step] = nil
  }

  /// An attempt had begun: it counts as interrupted until its failure is reported.
  private mutating func restoreStart(of step: StepIndex, _ attempt: UInt8) {
    guard states[step].status != .done else { return }
    states[step].attempt = attempt
    particulars.interruptions[step, default: 0] = min(100, particulars.interruptions[step, default: 0] + 1)
  }

  /// Says how many attempts a step that runs again has had, and how many of them count neither against its retries.
  private mutating func carryAttempts(of step: StepIndex, attempts: Int, uncounted: Int) {
    guard states[step].status != .done else { return }
    states[step].attempt = Self.attempts(attempts)
    particulars.interruptions[step] = Self.attempts(uncounted)
  }
}

extension StepState {
  /// Takes in how the task ended.
  mutating func recall(_ finished: FinishedEntry) {
    attempt = finished.attempts
    readyAt = finished.readyAt
    startedAt = finished.startedAt
    endedAt = finished.endedAt
    if finished.isAbandoned { marks.insert(.abandoned) }
  }
}
