import FlowModel

/// An event to deliver, or records from which events will be created outside the lock.
enum UndeliveredEvents {
  case event(RunEvent)
  /// Output lines of a step's program.
  case lines(StepLines)
  /// Records, together with the events of the partial ones among them, in order.
  case records([RecordChunk], besides: [RunEvent])
}

extension RunState {
  /// Takes the plan's records and adds them to the undelivered events.
  mutating func collectRecords() {
    guard plan.hasRecords else { return }
    let chunks = plan.takeRecords()
    var failedAttempts = plan.takeFailedAttempts()[...]
    var besides: [RunEvent] = []
    for chunk in chunks where !chunk.isComplete {
      for record in chunk {
        if case .partial(let kind) = record.kind {
          besides.append(
            RunEvent(atNanoseconds: record.atNanoseconds, event(for: kind, at: record.atNanoseconds, &failedAttempts)))
        }
      }
    }
    undelivered.append(.records(chunks, besides: besides))
  }

  /// Returns the event of a partial record, with details from the plan.
  private func event(
    for record: PlanRecord.Partial, at time: Int, _ failedAttempts: inout ArraySlice<FailedAttempt>
  ) -> RunEvent.Kind {
    let id = { (step: StepIndex) in plan.stepID(of: step) }
    switch record {
    case .activated: return .runActivated(reason: launch.reason, deferred: Array(plan.resolvedDeferrals))
    case .posted(let event, let number): return .eventPosted(plan.eventName(event), number: number)
    case .retrying(let step, let delay):
      let failed = failedAttempts.removeFirst()
      return .stepRetrying(
        id(step), attempt: failed.attempt, delayMilliseconds: millisecondsOf(delay), failure: failed.failure)
    case .ended(let step, let outcome):
      let state = plan[state: plan.task(step)]
      return .stepFinished(
        id(step),
        RunEvent.FinishedStep(
          outcome: outcome, conclusion: plan.conclusion(of: step) ?? outcome, reason: state.reason,
          attempts: Int(state.attempt),
          durationMilliseconds: state.startedAt == never ? nil : millisecondsOf(time - state.startedAt),
          failure: plan.failure(of: step)))
    }
  }
}
