import FlowModel
import FlowStore

// A run in a store whose leases run out: a process that stood still may have lost it without having been told. So bodies
// begin, and continue, only while the lease was renewed lately, by this process's own clock; no start asks the store. While
// the lease is late, ready steps wait and running ones are asked to end; both run once it has been renewed. If another
// process has the run, they end as cancelled.
extension WorkflowRun {
  /// How often the lease is looked at while steps wait for it.
  private static let lookNanoseconds = 50_000_000
  /// How often the lease is looked at while bodies may be running.
  private static let guardNanoseconds = 100_000_000
  /// For how long steps wait for a store that does not answer, before the run ends; a durable write waits as long.
  private static let patience = Duration.seconds(60)

  /// The journal that holds the run, for an item's workflow that of the outer one.
  private var holdingJournal: RunJournal? { options.outer.map { $0.run.holdingJournal } ?? journal }

  /// Ends under the lock what could start now and never will; whether there was anything.
  func endLostStarts(_ state: inout RunState, _ aftermath: inout Aftermath) -> Bool {
    guard let journal = holdingJournal, journal.isLost else { return false }
    let now = state.instant(clock.now)
    var hasEnded = false
    while let start = state.plan.startNext(at: now) ?? state.plan.startNextRemotely(at: now) {
      state.plan.apply(.ended(start.step, attempt: start.attempt, .cancelled), at: now)
      hasEnded = true
    }
    if hasEnded, !state.isAwaitingLease {
      // It may not have been said yet.
      state.isAwaitingLease = true
      aftermath.mustAwaitLease = true
    }
    return hasEnded
  }

  /// Sees to it under the lock that someone looks at the lease while steps wait for it.
  func awaitLease(_ state: inout RunState, _ aftermath: inout Aftermath) {
    guard state.plan.canStart() || state.plan.canStartRemotely, !state.isAwaitingLease else { return }
    state.isAwaitingLease = true
    if state.awaitedLeaseSince == nil { state.awaitedLeaseSince = clock.now }
    aftermath.mustAwaitLease = true
  }

  /// Looks at the lease a moment later.
  func lookAtLeaseSoon() {
    deadlines.schedule(atNanoseconds: clock.now + Self.lookNanoseconds) { [self] in lookAtLease() }
  }

  private func lookAtLease() {
    if let problem = journal?.noteLoss() { tellOfJournal(problem) }
    let since = state.withLock { state in state.awaitedLeaseSince }
    if let since, let journal, !journal.isLost, !journal.isSure,
      Duration.nanoseconds(clock.now - since) > Self.patience
    {
      let problem = StoreProblem.unusable(
        path: "database",
        cause: "it has not confirmed for \(DurationText.format(Self.patience)) that this process still has the run")
      journal.giveUp(problem)
      warn("history: \(problem)")
      cancel()
    }
    let isSure = isSureOfRun
    let aftermath = withPlan { state in
      state.isAwaitingLease = false
      if isSure { state.awaitedLeaseSince = nil }
      return carryOut(&state)
    }
    perform(aftermath)
  }

  // MARK: Bodies that run

  /// Looks at the lease until the run ends, and ends the bodies of this process while it is late.
  func guardBodies() {
    guard isGuarded, options.outer == nil else { return }
    deadlines.schedule(atNanoseconds: clock.now + Self.guardNanoseconds) { [self] in
      if !isSureOfRun { endBodiesForLease() }
      if state.withLock({ $0.plan.conclusion == nil }) { guardBodies() }
    }
  }

  /// Tells the bodies of this process to end: another process may soon run their steps.
  private func endBodiesForLease() {
    let aftermath = withPlan { state in
      var aftermath = Aftermath()
      for body in state.plan.awaitedHere
      where state.endedForLease.insert(RunState.taskKey(body.step, body.attempt)).inserted {
        aftermath.cancellations.append(body)
      }
      return aftermath
    }
    perform(aftermath)
  }

  /// How a body ended, seen from the lease: one that failed or was cancelled after it was asked to end, or while the lease is
  /// late, is lost, and its step runs again under the next attempt.
  func endingUnderLease(_ ending: Ending, of start: Start, _ state: inout RunState) -> Ending {
    let key = RunState.taskKey(start.step, Int(start.attempt))
    let wasEnded = state.endedForLease.remove(key) != nil
    guard wasEnded || !isSureOfRun, state.plan.isAwaiting(start.step, attempt: Int(start.attempt)) else {
      return ending
    }
    switch ending {
    case .failure, .cancelled: return .interrupted(Self.lateLease, isFinal: false)
    case .success, .upToDate, .interrupted: return ending
    }
  }

  private static let lateLease = StepFailure(
    code: "interrupted", message: "the database did not confirm for 10 s that this process still has the run")
}
