import FlowModel

extension Plan {
  /// A blocking step is finished.
  @inline(never)
  mutating func finishBlocking(_ step: StepIndex, satisfied: Bool, at now: Int) {
    counts.blocking -= 1
    if !satisfied, !isExcused(step) {
      readiness.isAnyUnsatisfied = true
      if readiness.outcome == nil { readiness.failed.append(step) }
      if activatedAt != never { decideGate(.failed, at: now) }
    } else if counts.blocking == 0, !readiness.isAnyUnsatisfied, cancelledAt == never {
      if readiness.readyAt == never { readiness.readyAt = now }
      if activatedAt != never { decideGate(.ready, at: now) }
    }
  }

  /// Whether a step that never ran, because what it needs failed, fails the gate no more than its own failure would.
  /// Its dependents are unsatisfied all the same: a failure reaches everything below it.
  private func isExcused(_ step: StepIndex) -> Bool {
    states[step].reason == .upstreamFailed && traits[step].flags.contains(.optional)
  }

  /// Tells the gate the state of the blocking steps. It is judged by this instant, whichever thread comes first.
  mutating func decideGate(_ decision: GateDecision, at now: Int) {
    guard !readiness.isDecided, readiness.outcome == nil else { return }
    readiness.isDecided = true
    readiness.decidedAt = now
    if decision == .ready, readiness.readyAt == never { readiness.readyAt = now }
    readiness.pendingDecision = maximumAt.map { now > $0 } ?? false ? .tooLate : decision
  }

  /// The instant of the gate's maximum; nil: it has none, or the run is not activated.
  private var maximumAt: Int? {
    guard activatedAt != never else { return nil }
    return readiness.bounds.maximumNanoseconds.map { readiness.countsFrom + $0 }
  }

  /// The gate has opened, or never will: deferred steps may go, blocking ones that are not finished are late.
  mutating func openGate(_ opened: OpenedGate, at now: Int) {
    guard readiness.outcome == nil else { return }
    readiness.outcome = opened.outcome
    noteEntry(.gateOpened(opened))
    guard opened.outcome != .cancelled else { return }
    readiness.openedAt = opened.atNanoseconds
    if opened.outcome == .timedOut { markLate(opened.atNanoseconds, at: now) }
    // The instant of the report, also where the plan hears of it later.
    note(.complete(.gateOpened(opened.outcome)), at: opened.atNanoseconds)
    for step in readiness.deferredSteps where states[step].status == .waiting { countDown(step, at: now) }
  }

  /// Marks the blocking steps that were not finished at the maximum.
  private mutating func markLate(_ openedAt: Int, at now: Int) {
    let maximum = maximumAt ?? openedAt
    if readiness.isDecided, readiness.decidedAt <= maximum { postponeDecision(to: max(openedAt, maximum + 1)) }
    for index in states.indices where traits[index].flags.contains(.blocking) {
      if states[index].status != .done || states[index].endedAt > maximum {
        states[index].marks.insert(.late)
        note(.complete(.gateLate(StepIndex(index))), at: now)
      }
    }
    // What failed past the maximum did not fail the gate.
    readiness.failed.removeAll { [states] in states[$0].endedAt > maximum }
  }

  /// The clock opened the gate in the moment between reading the time of the deciding end and saying so: that end came
  /// past the maximum, so that times never contradict the outcome.
  private mutating func postponeDecision(to time: Int) {
    for index in states.indices
    where traits[index].flags.contains(.blocking) && states[index].endedAt == readiness.decidedAt {
      states[index].endedAt = time
    }
    readiness.decidedAt = time
    if readiness.readyAt != never { readiness.readyAt = max(readiness.readyAt, time) }
  }
}
