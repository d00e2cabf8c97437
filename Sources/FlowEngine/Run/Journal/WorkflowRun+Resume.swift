import FlowModel
import FlowStore

/// The run that a resume continues: its store, lease and resume plan.
final class RunOrigin: Sendable {
  let store: any RunStore
  let lease: any RunLease
  let plan: ResumePlan
  /// The time at which the run's clock continues, in nanoseconds from the start of the run.
  var atNanoseconds: Int { plan.atNanoseconds }

  init(store: any RunStore, lease: any RunLease, plan: ResumePlan) {
    self.store = store
    self.lease = lease
    self.plan = plan
  }

  /// Applies the kept journal entries to a new plan.
  func restore(_ plan: inout Plan, at now: Int) {
    let detail = plan.detail
    plan.detail = .none
    plan.beginRestoring(wasPrewarmed: self.plan.recollection.header.isPrewarmed)
    for entry in self.plan.entries { plan.restore(entry) }
    plan.endRestoring(at: now, gateCountsAnew: true)
    plan.detail = detail
  }
}

extension ResumePlan {
  /// The time of the last entry, in nanoseconds from the start of the run. The clock of the resumed run continues from
  /// there.
  package var atNanoseconds: Int { recollection.lastNanoseconds }
}

extension WorkflowRun {
  /// Stores the outputs of a step, for use by expressions and for the journal.
  func keep(_ outputs: ValueObject, of step: StepIndex, _ state: inout RunState) {
    state.outputs[step] = outputs
    withholdOutputs(ofReader: step, &state)
    if journal != nil { state.unwrittenOutputs.steps.append((step, recordable(outputs, of: step, state))) }
  }

  /// Resumes the run after a pause in which remote steps of the earlier process end.
  func beginResumed(from origin: RunOrigin, after pause: Duration) {
    guard pause > .zero else { return beginResumed(from: origin) }
    emit(
      .warning(
        "steps of the run may still run remotely: nothing starts for \(DurationText.format(pause)), until they have ended"
      ))
    deadlines.schedule(atNanoseconds: clock.now + pause.nanoseconds) { [self] in beginResumed(from: origin) }
  }

  /// Resumes the run from the state in its journal.
  private func beginResumed(from origin: RunOrigin) {
    let header = origin.plan.header
    recallProducts()
    let (activatedAt, deferred) = state.withLock { ($0.plan.activatedAtNanoseconds, $0.plan.resolvedDeferrals) }
    // Observers count times from activation, as the report does, so send them the time of activation first.
    if let activatedAt {
      emit(.runActivated(reason: header.launch.reason, deferred: Array(deferred)), atNanoseconds: activatedAt)
    }
    let aftermath = withPlan { state in
      state.launch = header.launch
      state.environment = header.environment
      let now = state.instant(clock.now)
      let bounds = state.plan.gateBounds
      let activatedAt = state.plan.activatedAtNanoseconds ?? now
      if let outcome = state.plan.gate.outcome {
        gateClock.restore(
          OpenedGate(outcome, atNanoseconds: state.plan.gate.openedAtNanoseconds ?? now),
          activatedAtNanoseconds: activatedAt)
      } else {
        let opened = gateClock.arm(activatedAtNanoseconds: now, bounds) { [self] opened in
          deadlines.schedule(atNanoseconds: opened.atNanoseconds) { [self] in takeIn(opened) }
        }
        if let opened { state.takeIn(opened) }
      }
      state.plan.apply(.started(prewarm: false), at: now)
      var aftermath = carryOut(&state)
      aftermath.mustBeginGate = true
      return aftermath
    }
    perform(aftermath)
  }
}

extension GateClock {
  /// Opens the gate of a resumed run with the recorded outcome and time.
  func restore(_ opened: OpenedGate, activatedAtNanoseconds: Int) {
    note(activatedAtNanoseconds)
    note(opened)
    send(.minimumReached)
    switch opened.outcome {
    case .ready: send(.decided(.ready))
    case .failed: send(.decided(.failed))
    case .timedOut: send(.maximumReached)
    case .cancelled: send(.cancelled)
    }
  }
}
