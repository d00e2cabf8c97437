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

  /// Whether a step may withhold outputs, here or in a file that runs for items.
  private var mayWithhold: Bool { actions.contains { !$0.withheld.isEmpty } }

  /// The mask of a run: it exists from the start where the values of events, answers or outputs may be secret.
  func mask(secrets: ValueObject, inputs: ValueObject, mayLearnMore: Bool = false) -> SecretMask? {
    graph.workflow.mask(
      secrets: secrets, inputs: inputs,
      mayLearnMore: mayLearnMore || eventValues.hasSecrets || asksForSecrets || mayWithhold)
  }
}
