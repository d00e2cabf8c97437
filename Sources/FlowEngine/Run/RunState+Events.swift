import FlowModel

/// What the observer has not heard: events, or records to make them of, so that nobody holds the lock meanwhile.
enum UntoldEvents {
  case event(RunEvent)
  /// Records that say all there is to say.
  case records([PlanRecord])
}

extension RunState {
  /// Moves what the plan noted to what the observer is to hear.
  mutating func collectRecords() {
    guard plan.hasRecords else { return }
    let (records, areComplete) = plan.exchangeRecords(for: spareRecords)
    spareRecords = []
    if areComplete {
      untold.append(.records(records))
      return
    }
    var rest = records[...]
    while let place = rest.firstIndex(where: { !$0.kind.isComplete }) {
      if place > rest.startIndex { untold.append(.records(Array(rest[..<place]))) }
      untold.append(.event(event(for: rest[place])))
      rest = rest[(place + 1)...]
    }
    if !rest.isEmpty { untold.append(.records(Array(rest))) }
  }

  /// The event for a record that does not say all.
  private func event(for record: PlanRecord) -> RunEvent {
    RunEvent(atNanoseconds: record.atNanoseconds, kind(of: record))
  }

  private func kind(of record: PlanRecord) -> RunEvent.Kind {
    let reading = { plan[record.step] }
    let id = { plan.graph.workflow.steps[Int(record.step)].id }
    switch record.kind {
    case .retrying:
      return .stepRetrying(
        id(), attempt: reading().attempts, delayMilliseconds: Double(record.detail) / 1000,
        failure: reading().failure)
    case .posted: return .eventPosted(plan.eventName(Int(record.step)))
    case .activated: return .runActivated(reason: launch.reason)
    case .ready, .started, .succeeded, .ended, .gateLate, .gateOpened:
      let reading = reading()
      let outcome = Outcome(rawValue: UInt8(record.detail))!
      return .stepFinished(
        id(),
        RunEvent.FinishedStep(
          outcome: outcome, conclusion: plan.conclusion(of: record.step) ?? outcome, reason: reading.reason,
          attempts: reading.attempts,
          durationMilliseconds: reading.startedAtNanoseconds.map { millisecondsOf(record.atNanoseconds - $0) },
          failure: reading.failure))
    }
  }
}

/// Makes events of records that say all there is to say, outside the lock.
struct RecordReader {
  let graph: WorkflowGraph
  let queueNames: [String]

  func event(for record: PlanRecord) -> RunEvent {
    RunEvent(atNanoseconds: record.atNanoseconds, kind(of: record))
  }

  private func kind(of record: PlanRecord) -> RunEvent.Kind {
    switch record.kind {
    case .ready: return .stepReady(id(of: record))
    case .started:
      return .stepStarted(id(of: record), attempt: Int(record.detail), queue: queueNames[Int(record.queue)])
    case .succeeded:
      return .stepFinished(
        id(of: record),
        RunEvent.FinishedStep(
          outcome: .success, conclusion: .success, attempts: Int(record.detail),
          durationMilliseconds: millisecondsOf(record.atNanoseconds - record.startedAt)))
    case .gateLate: return .gateLate(id(of: record))
    case .gateOpened: return .gateOpened(GateOutcome(rawValue: UInt8(record.detail))!)
    case .retrying, .ended, .posted, .activated: preconditionFailure("a record that the plan must be asked about")
    }
  }

  private func id(of record: PlanRecord) -> StepID { graph.workflow.steps[Int(record.step)].id }
}
