import FlowExpressions
import FlowModel
import FlowPluginKit

/// The action that a step calls for each post of an event, as far as it is known before a run.
struct PreparedActionCall: Sendable {
  /// The name in the step.
  let name: String
  /// The action, or nil if none with this name is installed. The loader reports that with its location.
  let action: RegisteredAction?
  let inputs: PreparedObject

  init(
    _ call: ActionCall, _ with: ValueObject, find: (String) -> RegisteredAction?
  ) throws(ExpressionError) {
    name = with[call.action]?.stringValue ?? ""
    action = find(name)
    inputs = try PreparedObject(with[call.inputs]?.objectValue ?? [:])
  }
}
