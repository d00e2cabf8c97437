import FlowModel

extension RunState {
  /// Turns what the plan noted into events for the observer.
  mutating func collectRecords() {
    guard plan.hasRecords else { return }
    for record in plan.takeRecords() {
      pendingEvents.append(RunEvent(atNanoseconds: record.atNanoseconds, kind(of: record)))
    }
  }

  private func kind(of record: PlanRecord) -> RunEvent.Kind {
    let id = { plan.graph.workflow.steps[Int(record.step)].id }
    switch record.kind {
    case .ready: return .stepReady(id())
    case .started: return .stepStarted(id(), attempt: Int(record.detail), queue: plan.queueName(of: record.step))
    case .retrying:
      let reading = plan[record.step]
      return .stepRetrying(
        id(), attempt: reading.attempts, delayMilliseconds: Double(record.detail) / 1000, failure: reading.failure)
    case .finished:
      let reading = plan[record.step]
      let outcome = Outcome(rawValue: UInt8(record.detail))!
      return .stepFinished(
        id(),
        RunEvent.FinishedStep(
          outcome: outcome, conclusion: plan.conclusion(of: record.step) ?? outcome, reason: reading.reason,
          attempts: reading.attempts,
          durationMilliseconds: reading.startedAtNanoseconds.map { millisecondsOf(record.atNanoseconds - $0) },
          failure: outcome == .success ? nil : reading.failure))
    case .posted: return .eventPosted(plan.eventName(Int(record.step)))
    case .activated: return .runActivated(reason: launch.reason)
    case .gateLate: return .gateLate(id())
    case .gateOpened: return .gateOpened(GateOutcome(rawValue: UInt8(record.detail))!)
    }
  }
}
