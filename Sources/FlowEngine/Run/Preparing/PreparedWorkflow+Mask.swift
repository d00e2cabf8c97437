import FlowModel
import FlowSecrets

extension PreparedWorkflow {
  /// True if a step of this workflow, or of a workflow that runs for items, may ask for a secret.
  var asksForSecrets: Bool {
    graph.workflow.steps.indices.contains { index in
      let step = graph.workflow.steps[index]
      guard let asked = step.with["secret"], asked != false else { return false }
      return action(of: StepIndex(index)).declaration.outputs.contains(where: \.isSecret)
    } || graph.workflow.itemWorkflows.values.contains { $0.workflow.steps.contains { $0.with["secret"] == true } }
  }

  /// True if an action may withhold outputs from the journal and the report.
  private var mayWithhold: Bool { actions.contains { !$0.withheld.isEmpty } }

  /// Returns the mask of a run. Without any secrets it is nil, unless values of events, answers or outputs may add some
  /// later or, if `mayLearnMore` is true, the launch may.
  func mask(secrets: ValueObject, inputs: ValueObject, mayLearnMore: Bool = false) -> SecretMask? {
    graph.workflow.mask(
      secrets: secrets, inputs: inputs,
      mayLearnMore: mayLearnMore || eventValues.hasSecrets || asksForSecrets || mayWithhold)
  }
}
