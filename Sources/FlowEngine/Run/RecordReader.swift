import FlowModel

/// Creates events from the plan's records, outside the run's lock.
struct RecordReader {
  private let graph: WorkflowGraph
  private let queueNames: [String]
  /// The time of each step's first start, in nanoseconds from the start of the run.
  private var starts: [Int]
  /// The time of each item's first start, by instance.
  private var itemStarts: [StepIndex: Int] = [:]
  private let instances: InstanceTable

  init(graph: WorkflowGraph, queueNames: [String], instances: InstanceTable) {
    self.instances = instances
    self.graph = graph
    self.queueNames = queueNames
    starts = Array(repeating: 0, count: graph.workflow.steps.count)
  }

  /// Adds the event of each record to `batch`. `besides` contains the events of partial records, in the same order.
  mutating func read(_ chunks: [RecordChunk], besides: [RunEvent], into batch: inout EventBatch) {
    var besides = besides[...]
    for chunk in chunks {
      for record in chunk {
        switch record.kind {
        case .complete(let kind):
          batch.add(RunEvent(atNanoseconds: record.atNanoseconds, event(for: kind, at: record.atNanoseconds)))
        case .partial: batch.add(besides.removeFirst())
        }
      }
    }
  }

  private mutating func event(for record: PlanRecord.Complete, at time: Int) -> RunEvent.Kind {
    switch record {
    case .ready(let step): return .stepReady(id(step))
    case .started(let step, let attempt, let queue):
      // The first attempt that this reader sees of a resumed step may have a number above 1.
      if Int(step) >= starts.count {
        if attempt == 1 || itemStarts[step] == nil { itemStarts[step] = time }
      } else if attempt == 1 || starts[Int(step)] == 0 {
        starts[Int(step)] = time
      }
      return .stepStarted(id(step), attempt: attempt, queue: queueNames[queue])
    case .succeeded(let step, let attempt):
      let start = Int(step) < starts.count ? starts[Int(step)] : itemStarts.removeValue(forKey: step) ?? time
      return .stepFinished(
        id(step),
        RunEvent.FinishedStep(
          outcome: .success, conclusion: .success, attempts: attempt,
          durationMilliseconds: millisecondsOf(time - start)))
    case .gateLate(let step): return .gateLate(id(step))
    case .gateOpened(let outcome): return .gateOpened(outcome)
    }
  }

  private func id(_ step: StepIndex) -> StepID {
    guard let (owner, item) = instances.item(of: step) else { return graph.workflow.steps[Int(step)].id }
    return graph.workflow.steps[Int(owner)].id.item(item)
  }
}
