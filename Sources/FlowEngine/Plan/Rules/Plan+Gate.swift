import FlowModel

extension Plan {
  /// Counts the end of a blocking step. The gate is decided if it was the last one or is unsatisfied.
  @inline(__always)
  mutating func finishBlocking(_ step: StepIndex, satisfied: Bool, at now: Int) {
    if satisfied, counts.blocking > 1 {
      counts.blocking &-= 1
    } else {
      decideGate(by: step, satisfied: satisfied, at: now)
    }
  }

  @inline(never)
  private mutating func decideGate(by step: StepIndex, satisfied: Bool, at now: Int) {
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

  /// True if the step is optional and was skipped after a failed dependency. Such a step does not fail the gate, but
  /// its dependents count it as unsatisfied.
  private func isExcused(_ step: StepIndex) -> Bool {
    states[step].reason == .upstreamFailed && traits[step].flags.contains(.optional)
  }

  /// Decides the gate. The time of the decision is compared with the maximum, so that the result does not depend on the
  /// order in which threads run.
  mutating func decideGate(_ decision: GateDecision, at now: Int) {
    guard !readiness.isDecided, readiness.outcome == nil else { return }
    readiness.isDecided = true
    readiness.decidedAt = now
    if decision == .ready, readiness.readyAt == never { readiness.readyAt = now }
    readiness.pendingDecision = maximumAt.map { now > $0 } ?? false ? .tooLate : decision
  }

  /// The time of the gate's maximum, or nil if it has none or the run is not activated.
  private var maximumAt: Int? {
    guard activatedAt != never else { return nil }
    return readiness.bounds.maximumNanoseconds.map { readiness.countsFrom + $0 }
  }

  /// Handles the outcome of the gate: releases deferred steps and, if it timed out, marks unfinished blocking steps as
  /// late.
  mutating func openGate(_ opened: OpenedGate, at now: Int) {
    guard readiness.outcome == nil else { return }
    readiness.outcome = opened.outcome
    noteEntry(.gateOpened(opened))
    guard opened.outcome != .cancelled else { return }
    readiness.openedAt = opened.atNanoseconds
    if opened.outcome == .timedOut { markLate(opened.atNanoseconds, at: now) }
    // Use the time of the opening, even if the plan is notified later.
    note(.complete(.gateOpened(opened.outcome)), at: opened.atNanoseconds)
    for step in readiness.deferredSteps where states[step].status == .waiting { countDown(step, at: now) }
  }

  /// Marks the blocking steps that had not finished when the gate reached its maximum.
  private mutating func markLate(_ openedAt: Int, at now: Int) {
    let maximum = maximumAt ?? openedAt
    if readiness.isDecided, readiness.decidedAt <= maximum { postponeDecision(to: max(openedAt, maximum + 1)) }
    for index in states.indices where traits[index].flags.contains(.blocking) {
      if states[index].status != .done || states[index].endedAt > maximum {
        states[index].marks.insert(.late)
        note(.complete(.gateLate(StepIndex(index))), at: now)
      }
    }
    readiness.failed.removeAll { [states] in states[$0].endedAt > maximum }
  }

  /// Moves the end of the step that decided the gate past the maximum, so that its time matches the outcome. The clock
  /// opened the gate after the step had ended, but before the decision was sent.
  private mutating func postponeDecision(to time: Int) {
    for index in states.indices
    where traits[index].flags.contains(.blocking) && states[index].endedAt == readiness.decidedAt {
      states[index].endedAt = time
    }
    readiness.decidedAt = time
    if readiness.readyAt != never { readiness.readyAt = max(readiness.readyAt, time) }
  }
}
