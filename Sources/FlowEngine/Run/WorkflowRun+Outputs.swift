import FlowModel
import FlowPluginKit

extension WorkflowRun {
  /// What a step has given back; nil while it has not succeeded, and where there is no such step.
  public func outputs(of step: StepID) -> ValueObject? {
    guard let index = prepared.graph.workflow.steps.firstIndex(where: { $0.id == step }) else { return nil }
    return state.withLock { $0.outputs[StepIndex(index)] }
  }

  /// Posts an event from outside. Later posts of the same event do nothing, unless it repeats.
  public func post(_ event: some EventName) { post(event.rawValue) }
}
