import FlowExpressions
import FlowModel
import FlowPluginKit

/// The action that a step calls for each post of an event, with its inputs prepared for evaluation.
struct PreparedActionCall: Sendable {
  /// The name of the action that the step's inputs state.
  let name: String
  /// The action, or nil if it is not installed. The loader reports that together with the location in the file.
  let action: RegisteredAction?
  let inputs: PreparedObject

  init(
    _ call: ActionCall, _ with: ValueObject, _ texts: WorkflowTexts, find: (String) -> RegisteredAction?
  ) throws(ExpressionError) {
    name = with[call.action]?.stringValue ?? ""
    action = find(name)
    inputs = try PreparedObject(with[call.inputs]?.objectValue ?? [:], texts)
  }
}
