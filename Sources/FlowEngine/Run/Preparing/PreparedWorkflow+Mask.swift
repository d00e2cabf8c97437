import FlowModel
import FlowSecrets

extension PreparedWorkflow {
  /// The mask of a run: it exists from the start where the values of events may be secret.
  func mask(secrets: ValueObject, inputs: ValueObject) -> SecretMask? {
    graph.workflow.mask(secrets: secrets, inputs: inputs, mayLearnMore: eventValues.hasSecrets)
  }
}
