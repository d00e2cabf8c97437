import FlowModel
import FlowPluginKit

extension WorkflowRun {
  /// Returns the outputs of a step, or nil if the step has no outputs, has not succeeded or does not exist.
  public func outputs(of step: StepID) -> ValueObject? {
    guard let index = prepared.graph.workflow.steps.firstIndex(where: { $0.id == step }) else { return nil }
    return state.withLock { $0.outputs[StepIndex(index)] }
  }

  /// The number of finished steps, including skipped ones, and the number of all steps.
  package var progress: RunProgress {
    let total = prepared.graph.workflow.steps.count
    let finished = withPlan { state in (0..<total).count { state.plan[StepIndex($0)].outcome != nil } }
    return RunProgress(finished: finished, total: total)
  }

  /// Posts an event from outside the run. Later posts of the event have no effect unless it repeats.
  public func post(_ event: some EventName) { post(event.rawValue) }
}

/// The progress of a run.
public struct RunProgress: Sendable, Hashable {
  /// The number of steps that have finished, including skipped ones.
  public var finished: Int
  /// The number of steps in the workflow.
  public var total: Int

  package init(finished: Int, total: Int) {
    self.finished = finished
    self.total = total
  }

  /// The fraction of finished steps, from 0 to 1.
  public var fraction: Double { total == 0 ? 1 : Double(finished) / Double(total) }
}
