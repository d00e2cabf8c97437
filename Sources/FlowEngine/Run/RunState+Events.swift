import FlowModel

/// What the observer has not heard: events, or records to make them of, so that nobody holds the lock meanwhile.
enum UntoldEvents {
  case event(RunEvent)
  /// Records, and the events of those that do not say all there is to say, in their order.
  case records([RecordChunk], besides: [RunEvent])
}

extension RunState {
  /// Moves what the plan noted to what the observer is to hear.
  mutating func collectRecords() {
    guard plan.hasRecords else { return }
    let chunks = plan.takeRecords()
    var besides: [RunEvent] = []
    for chunk in chunks where !chunk.isComplete {
      for record in chunk where !record.kind.isComplete { besides.append(event(for: record)) }
    }
    untold.append(.records(chunks, besides: besides))
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

/// Makes events of records, outside the lock.
struct RecordReader {
  private let graph: WorkflowGraph
  private let queueNames: [String]
  /// When each step was first started, in nanoseconds from the start of the run.
  private var starts: [Int]

  init(graph: WorkflowGraph, queueNames: [String]) {
    self.graph = graph
    self.queueNames = queueNames
    starts = Array(repeating: 0, count: graph.workflow.steps.count)
  }

  /// Makes the events of records; `besides` are those of the records that do not say all.
  mutating func read(_ chunks: [RecordChunk], besides: [RunEvent], into batch: inout EventBatch) {
    var rest = besides[...]
    for chunk in chunks {
      for record in chunk {
        batch.add(record.kind.isComplete ? event(for: record) : rest.removeFirst())
      }
    }
  }

  private mutating func event(for record: PlanRecord) -> RunEvent {
    RunEvent(atNanoseconds: record.atNanoseconds, kind(of: record))
  }

  private mutating func kind(of record: PlanRecord) -> RunEvent.Kind {
    switch record.kind {
    case .ready: return .stepReady(id(of: record))
    case .started:
      if record.detail == 1 { starts[Int(record.step)] = record.atNanoseconds }
      return .stepStarted(id(of: record), attempt: Int(record.detail), queue: queueNames[Int(record.queue)])
    case .succeeded:
      return .stepFinished(
        id(of: record),
        RunEvent.FinishedStep(
          outcome: .success, conclusion: .success, attempts: Int(record.detail),
          durationMilliseconds: millisecondsOf(record.atNanoseconds - starts[Int(record.step)])))
    case .gateLate: return .gateLate(id(of: record))
    case .gateOpened: return .gateOpened(GateOutcome(rawValue: UInt8(record.detail))!)
    case .retrying, .ended, .posted, .activated: preconditionFailure("a record that the plan must be asked about")
    }
  }

  private func id(of record: PlanRecord) -> StepID { graph.workflow.steps[Int(record.step)].id }
}
