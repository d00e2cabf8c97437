import FlowExpressions
import FlowModel
import FlowPluginKit

/// What a step calls for each post of an event, as far as it is known before a run.
struct PreparedActionCall: Sendable {
  /// The name that the step gives.
  let name: String
  /// Nil if none of that name is installed, which the loader finds with its place.
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
