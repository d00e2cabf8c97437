import FlowModel

// A run is resumed in another process by a new plan, which applies the entries of the journal and then the event
// `started`.
//
// Entries bypass `apply`, because the release of idle steps and the check for an idle run must wait until all entries
// have been applied. A step without an entry runs again even if its dependents have finished, because its end affects
// only steps that still wait.
extension Plan {
  /// Prepares a new plan for the entries of a journal.
  ///
  /// - Parameter wasPrewarmed: True if the run was prewarmed, so that steps are held until the `activated` entry.
  package mutating func beginRestoring(wasPrewarmed: Bool) {
    precondition(!hasStarted && journal == nil, "a plan is restored before it starts")
    isPrewarming = wasPrewarmed
  }

  /// Applies an entry. Entries must be applied in the order of the journal.
  package mutating func restore(_ entry: JournalEntry) { mutate { $0.takeIn(entry) } }

  private mutating func takeIn(_ entry: JournalEntry) {
    if let task = entry.task, task.item != nil {
      fanOuts.recalled[task.step, default: RecalledFanOut()].add(entry)
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
    case .lost(let task, let attempt, let failure, let time):
      guard states[task.step].status != .done else { return }
      particulars.noteAttemptEnd(of: task.step, startedAt: never, at: time)
      states[task.step].attempt = Self.attempts(attempt)
      particulars.failures[task.step] = failure
    case .started(let task, let attempt, let time):
      restoreStart(of: task.step, Self.attempts(attempt))
      particulars.attemptTimes[task.step]?.noteStart(at: time)
    case .begun(let task, let isRemote, let time):
      let step = task.step
      guard states[step].status != .done else { return }
      particulars.attemptTimes[step]?.noteStart(at: time)
      guard isRemote else { return }
      particulars.noteBeginning(of: step, attempt: states[step].attempt, at: time)
    case .outlasted(let task, let overrun, let isAbandoned):
      if let overrun { particulars.overruns[task.step] = overrun }
      if isAbandoned { states[task.step].marks.insert(.abandoned) }
    case .posted(let name, let poster, let time):
      if case .step(let step) = poster { events.note(poster: step, of: name) }
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
    case .expanded(let step, let hashes, _): fanOuts.recalled[step, default: RecalledFanOut()].replaceItems(hashes)
    case .grown(let step, let count, _): fanOuts.recalled[step, default: RecalledFanOut()].grow(to: count)
    // A resumed run is not cancelled, even if the earlier one was.
    case .cancelled: break
    }
  }

  /// Ends the restoration, so that the run continues at `now`. If `gateCountsAnew` is true, the minimum and maximum of
  /// a closed gate count from `now`, because users see the run start again.
  package mutating func endRestoring(at now: Int, gateCountsAnew: Bool) {
    isPrewarming = false
    func isOver(_ step: StepIndex) -> Bool { Int(step) >= states.count || states[step].status == .done }
    particulars.failures = particulars.failures.filter { isOver($0.key) }
    particulars.beginnings = particulars.beginnings.filter { isOver($0.key) }
    // Followers of an event that repeats have received its posts in the earlier process.
    effects.removeAll { effect in
      switch effect {
      case .posted, .gather: true
      default: false
      }
    }
    limitRun(from: now)
    if gateCountsAnew, readiness.outcome == nil { readiness.countsFrom = now }
  }

  /// Limits a restored number of attempts, so that the count fits in its byte even after many crashes.
  private static func attempts(_ attempt: Int) -> UInt8 { UInt8(clamping: min(attempt, 150)) }

  private mutating func restore(_ finished: FinishedEntry, _ failure: StepFailure?) {
    let step = finished.task.step
    if states[step].status != .done {
      // Assign nil, too: the success of the step replaces the failure of an earlier attempt.
      particulars.failures[step] = failure
      if traits[step].flags.contains(.fanOut) { rebuildItems(of: step, finished.outcome, at: finished.endedAt) }
      finish(step, finished.outcome, finished.reason, at: finished.endedAt)
      finishCollected(at: finished.endedAt)
    }
    particulars.attemptTimes[step] = particulars.attemptTimes[step].ending(
      with: finished, behind: states[step].attempt, begunAt: particulars.beginnings[step]?.firstAt)
    states[step].recall(finished)
    particulars.interruptions[step] = nil
  }

  /// Records that an attempt had begun. It counts as interrupted unless a later entry records its failure.
  private mutating func restoreStart(of step: StepIndex, _ attempt: UInt8) {
    guard states[step].status != .done else { return }
    states[step].attempt = attempt
    particulars.interruptions[step, default: 0] = min(100, particulars.interruptions[step, default: 0] + 1)
  }

  /// Restores the number of attempts of an unfinished step, and the number of those that do not count as retries.
  private mutating func carryAttempts(of step: StepIndex, attempts: Int, uncounted: Int) {
    guard states[step].status != .done else { return }
    states[step].attempt = Self.attempts(attempts)
    particulars.interruptions[step] = Self.attempts(uncounted)
  }
}

extension StepState {
  mutating func recall(_ finished: FinishedEntry) {
    attempt = finished.attempts
    readyAt = finished.readyAt
    startedAt = finished.startedAt
    endedAt = finished.endedAt
    if finished.isAbandoned { marks.insert(.abandoned) }
    // The end of a dependency may have set another reason, because a plan that is restored is not cancelled.
    if outcome == finished.outcome { reason = finished.reason }
  }
}
