import FlowModel

extension Plan {
  @inline(never)
  mutating func settleBlocking(_ step: StepIndex, satisfied: Bool, at now: Int) {
    blockingCount -= 1
    if !satisfied {
      isAnyBlockingUnsatisfied = true
      if gateOutcome == nil { gateFailed.append(step) }
      if activatedAt != never { decideGate(.failed, at: now) }
    } else if blockingCount == 0, !isAnyBlockingUnsatisfied, cancelledAt == never {
      if gateReadyAt == never { gateReadyAt = now }
      if activatedAt != never { decideGate(.ready, at: now) }
    }
  }

  mutating func decideGate(_ decision: GateDecision, at now: Int) {
    guard !gateIsDecided, gateOutcome == nil else { return }
    gateIsDecided = true
    if decision == .ready, gateReadyAt == never { gateReadyAt = now }
    untoldGateDecision = decision
  }

  /// The gate has opened, or never will: deferred steps may go, blocking ones that are not settled are late.
  mutating func openGate(_ outcome: GateOutcome, at now: Int) {
    guard gateOutcome == nil else { return }
    gateOutcome = outcome
    guard outcome != .cancelled else { return }
    gateOpenedAt = now
    if outcome == .timedOut {
      // A step whose success the plan had just taken in when the clock opened the gate was late too.
      for index in states.indices where traits[index].flags.contains(.blocking) {
        if states[index].status != .done || states[index].endedAt > now {
          states[index].marks.insert(.late)
          note(.gateLate, StepIndex(index), at: now)
        }
      }
      if blockingCount == 0, gateIsDecided, gateFailed.isEmpty { correctReady(to: now) }
    }
    note(.gateOpened, 0, at: now, Int32(outcome.rawValue))
    for step in deferredSteps where states[Int(step)].status == .waiting { countDown(step, at: now) }
  }

  /// The clock opened the gate in the moment between reading the time of the last success and saying so: that success
  /// came with the ceiling, so that times never contradict the outcome.
  private mutating func correctReady(to now: Int) {
    for index in states.indices
    where traits[index].flags.contains(.blocking) && states[index].endedAt == gateReadyAt && gateReadyAt < now {
      states[index].endedAt = now
      states[index].marks.insert(.late)
    }
    gateReadyAt = max(gateReadyAt, now)
  }
}
