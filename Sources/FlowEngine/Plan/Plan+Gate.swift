import FlowModel

extension Plan {
  /// A blocking step is settled.
  @inline(never)
  mutating func settleBlocking(_ step: StepIndex, satisfied: Bool, at now: Int) {
    counts.blocking -= 1
    if !satisfied {
      readiness.isAnyUnsatisfied = true
      if readiness.outcome == nil { readiness.failed.append(step) }
      if activatedAt != never { decideGate(.failed, at: now) }
    } else if counts.blocking == 0, !readiness.isAnyUnsatisfied, cancelledAt == never {
      if readiness.readyAt == never { readiness.readyAt = now }
      if activatedAt != never { decideGate(.ready, at: now) }
    }
  }

  mutating func decideGate(_ decision: GateDecision, at now: Int) {
    guard !readiness.isDecided, readiness.outcome == nil else { return }
    readiness.isDecided = true
    if decision == .ready, readiness.readyAt == never { readiness.readyAt = now }
    readiness.pendingDecision = decision
  }

  /// The gate has opened, or never will: deferred steps may go, blocking ones that are not settled are late.
  mutating func openGate(_ opened: OpenedGate, at now: Int) {
    guard readiness.outcome == nil else { return }
    readiness.outcome = opened.outcome
    guard opened.outcome != .cancelled else { return }
    readiness.openedAt = opened.atNanoseconds
    if opened.outcome == .timedOut { markLate(opened.atNanoseconds, at: now) }
    note(.whole(.gateOpened(opened.outcome)), at: now)
    for step in readiness.deferredSteps where states[step].status == .waiting { countDown(step, at: now) }
  }

  /// Marks the blocking steps that the gate no longer waited for.
  private mutating func markLate(_ openedAt: Int, at now: Int) {
    // A step whose success the plan had just taken in when the clock opened the gate was late too.
    for index in states.indices where traits[index].flags.contains(.blocking) {
      if states[index].status != .done || states[index].endedAt > openedAt {
        states[index].marks.insert(.late)
        note(.whole(.gateLate(StepIndex(index))), at: now)
      }
    }
    if counts.blocking == 0, readiness.isDecided, readiness.failed.isEmpty { correctReady(to: openedAt) }
  }

  /// The clock opened the gate in the moment between reading the time of the last success and saying so: that success
  /// came with the ceiling, so that times never contradict the outcome.
  private mutating func correctReady(to now: Int) {
    for index in states.indices
    where traits[index].flags.contains(.blocking) && states[index].endedAt == readiness.readyAt
      && readiness.readyAt < now
    {
      states[index].endedAt = now
      states[index].marks.insert(.late)
    }
    readiness.readyAt = max(readiness.readyAt, now)
  }
}
