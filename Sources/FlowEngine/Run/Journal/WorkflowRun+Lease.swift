import FlowModel
import FlowStore

// Some stores have leases that expire. A process that was suspended may have lost its run without notice, so bodies
// begin and continue only if the lease was renewed recently, by this process's own clock; a start does not query the
// store. While the renewal is late, ready steps wait and running ones are asked to end. Both run once the lease has
// been renewed. If another process has taken over the run, they end as cancelled.
extension WorkflowRun {
  /// The interval between checks of the lease while steps wait for it.
  private static let lookNanoseconds = 50_000_000
  /// The interval between checks of the lease while bodies may be running.
  private static let guardNanoseconds = 100_000_000
  /// The maximum time for which steps wait for a store that does not respond. After that, the run is given up. Durable
  /// writes have the same limit.
  private static let patience = Duration.seconds(60)

  /// The journal that has the lease, or nil if the run is not recorded. For the run of an item, it is the outer run's
  /// journal.
  private var holdingJournal: RunJournal? { options.outer.map { $0.run.holdingJournal } ?? journal }

  /// If another process has taken over the run, cancels all steps that could start. It is called under the lock and
  /// returns true if there were any.
  func endLostStarts(_ state: inout RunState, _ aftermath: inout Aftermath) -> Bool {
    guard let journal = holdingJournal, journal.isLost else { return false }
    let now = state.instant(clock.now)
    var hasEnded = false
    while let start = state.plan.startNext(at: now) ?? state.plan.startNextRemotely(at: now) {
      state.plan.apply(.ended(start.step, attempt: start.attempt, .cancelled), at: now)
      hasEnded = true
    }
    if hasEnded, !state.isAwaitingLease {
      // Schedule a check, because the loss may not have been reported.
      state.isAwaitingLease = true
      aftermath.mustAwaitLease = true
    }
    return hasEnded
  }

  /// Schedules a check of the lease if steps wait for it. It is called under the lock.
  func awaitLease(_ state: inout RunState, _ aftermath: inout Aftermath) {
    guard state.plan.canStart() || state.plan.canStartRemotely, !state.isAwaitingLease else { return }
    state.isAwaitingLease = true
    if state.awaitedLeaseSince == nil { state.awaitedLeaseSince = clock.now }
    aftermath.mustAwaitLease = true
  }

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

  /// Checks the lease until the run ends. While the lease is not renewed in time, asks the bodies in this process to
  /// end.
  func guardBodies() {
    guard isGuarded, options.outer == nil else { return }
    deadlines.schedule(atNanoseconds: clock.now + Self.guardNanoseconds) { [self] in
      if !isSureOfRun { endBodiesForLease() }
      if state.withLock({ $0.plan.conclusion == nil }) { guardBodies() }
    }
  }

  /// Asks the bodies in this process to end, because another process may soon run their steps.
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

  /// Adjusts the result of a body to the state of the lease. If a body failed or was cancelled while the renewal was
  /// late, the attempt counts as lost, and the step runs again.
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
