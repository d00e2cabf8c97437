import FlowModel
import FlowPluginKit

extension WorkflowRun {
  /// What a step has returned; nil while it has not succeeded, and where there is no such step.
  public func outputs(of step: StepID) -> ValueObject? {
    guard let index = prepared.graph.workflow.steps.firstIndex(where: { $0.id == step }) else { return nil }
    return state.withLock { $0.outputs[StepIndex(index)] }
  }

  /// The number of steps that have finished, of how many; those that were skipped have finished.
  public var progress: RunProgress {
    let total = prepared.graph.workflow.steps.count
    let finished = withPlan { state in (0..<total).count { state.plan[StepIndex($0)].outcome != nil } }
    return RunProgress(finished: finished, total: total)
  }

  /// Posts an event from outside. Later posts of the same event do nothing, unless it repeats.
  public func post(_ event: some EventName) { post(event.rawValue) }
}

/// How far a run has come.
public struct RunProgress: Sendable, Hashable {
  /// The steps that have finished.
  public var finished: Int
  /// All steps.
  public var total: Int

  /// So many steps, of so many.
  public init(finished: Int, total: Int) {
    self.finished = finished
    self.total = total
  }

  /// The part of the steps that have finished, from 0 to 1.
  public var fraction: Double { total == 0 ? 1 : Double(finished) / Double(total) }
}
