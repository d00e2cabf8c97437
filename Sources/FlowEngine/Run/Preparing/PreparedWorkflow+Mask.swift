import FlowModel
import FlowSecrets

extension PreparedWorkflow {
  /// True if a step may ask for a secret, in this file or in one that runs for items.
  var asksForSecrets: Bool {
    graph.workflow.steps.indices.contains { index in
      let step = graph.workflow.steps[index]
      guard let asked = step.with["secret"], asked != false else { return false }
      return action(of: StepIndex(index)).declaration.outputs.contains(where: \.isSecret)
    } || graph.workflow.itemWorkflows.values.contains { $0.workflow.steps.contains { $0.with["secret"] == true } }
  }

  /// The mask of a run. It exists from the start if the values of events or answers may be secret.
  func mask(secrets: ValueObject, inputs: ValueObject) -> SecretMask? {
    graph.workflow.mask(secrets: secrets, inputs: inputs, mayLearnMore: eventValues.hasSecrets || asksForSecrets)
  }
}
