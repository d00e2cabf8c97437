import FlowModel
import FlowStore

extension RunRecollection {
  /// Returns the steps that had started but not finished at the end of the journal, with their starts in nanoseconds
  /// from activation. Only durable runs record starts. In other runs, a step counts as started when it prints its first
  /// line.
  package func openSteps(of graph: WorkflowGraph, in chunks: [[UInt8]]) -> [StepIndex: Int] {
    var open: [TaskInstance: Int] = [:]
    var finished: Set<StepIndex> = []
    var activation = 0
    for entry in entries {
      switch entry {
      case .activated(_, let time): activation = time
      case .started(let task, _, let time), .begun(let task, _, let time): if open[task] == nil { open[task] = time }
      case .tried(let task, _, _, _), .lost(let task, _, _, _): open[task] = nil
      case .finished(let end, _):
        open[end.task] = nil
        if end.task.item == nil { finished.insert(end.task.step) }
      default: break
      }
    }
    var starts: [StepIndex: Int] = [:]
    for (task, time) in open where !finished.contains(task.step) {
      starts[task.step] = min(starts[task.step] ?? .max, time - activation)
    }
    for (step, time) in Self.firstLines(of: graph, in: chunks) where !finished.contains(step) && starts[step] == nil {
      starts[step] = time - activation
    }
    return starts
  }

  /// Returns the time of each step's first output line, if it was printed in the last process of the run.
  private static func firstLines(of graph: WorkflowGraph, in chunks: [[UInt8]]) -> [StepIndex: Int] {
    let begin = chunks.lastIndex { (try? RunChunk($0))?.kind == .resume } ?? 0
    var numbers: [String: StepIndex] = [:]
    for (index, step) in graph.workflow.steps.enumerated() { numbers[step.id.text] = StepIndex(index) }
    var times: [StepIndex: Int] = [:]
    for line in lines(in: Array(chunks[begin...])) {
      guard let id = line["step"]?.stringValue, let at = line["at"]?.numberValue,
        let step = numbers[id] ?? StepID(unchecked: id).item.flatMap({ numbers[$0.step.text] }), times[step] == nil
      else { continue }
      times[step] = Int(at * 1_000_000)
    }
    return times
  }

  /// The time of the last entry or line in the journal, in nanoseconds from activation.
  package func lastInstant(in chunks: [[UInt8]]) -> Int {
    let logged = chunks.last.flatMap { try? RunChunk($0) }?.runNanoseconds ?? 0
    let activation = entries.lazy.compactMap { if case .activated(_, let time) = $0 { time } else { nil } }.first
    return max(lastNanoseconds, logged) - (activation ?? 0)
  }
}
