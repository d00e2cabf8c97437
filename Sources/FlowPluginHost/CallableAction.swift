import FlowModel
import FlowPluginKit
import FlowSyntax

/// An action of a plugin, prepared for calls: its declaration, and the parts of a request that are always the same.
package final class CallableAction: Sendable {
  package let declaration: ActionDeclaration
  /// True if an error is retryable by default, when neither the program nor the manifest specifies it.
  let isRetryable: Bool
  /// The part of a request's JSON text between its id and its inputs.
  let requestHead: [UInt8]
  /// The names of the inputs of type duration. A request also contains their values in milliseconds.
  let durationNames: [String]
  private let inputType: ValueType
  private let outputType: ValueType

  convenience init(_ action: PluginManifest.Action) { self.init(action.declaration, isRetryable: action.isRetryable) }

  private init(_ declaration: ActionDeclaration, isRetryable: Bool) {
    self.declaration = declaration
    self.isRetryable = isRetryable
    requestHead = HostMessage.runHead(action: declaration.name)
    durationNames = declaration.inputs.filter { $0.type == .duration }.map(\.name)
    inputType = .object(properties: declaration.inputs)
    outputType = .object(properties: declaration.outputs)
  }

  /// Creates an action whose declaration does not come from a manifest.
  package convenience init(_ declaration: ActionDeclaration) {
    self.init(declaration, isRetryable: true)
  }

  /// Adds default values to the inputs and checks all values against the declared types.
  ///
  /// Throws a `TypeMismatch`, as a compiled-in action does.
  func completed(_ inputs: ValueObject) throws(TypeMismatch) -> ValueObject {
    var completed = inputs
    for field in declaration.inputs {
      let given = inputs[field.name]
      if let given, !given.isNull || field.type == .any { continue }
      if given != nil || field.defaultValue != nil { completed[field.name] = field.defaultValue }
    }
    if let mismatch = inputType.mismatch(of: .object(completed)) { throw mismatch }
    return completed
  }

  /// Returns the program's outputs after checking them against the declared types.
  package func checkedOutputs(_ value: Value, of inputs: ValueObject = [:]) throws(ActionError) -> ValueObject {
    guard let outputs = value.objectValue else {
      throw lie("gave outputs that are \(value.shortText), not an object")
    }
    if declaration.outputsFromInput != nil { return outputs }
    let type =
      declaration.outputFieldsFromInput == nil
      ? outputType : .object(properties: declaration.outputs(declaredBy: inputs))
    if let mismatch = type.mismatch(of: value) {
      throw lie("gave outputs that its manifest does not declare: \(mismatch.description)")
    }
    return outputs
  }

  private func lie(_ what: String) -> ActionError {
    ActionError("plugin-output", "'\(declaration.name)' \(what)", isRetryable: false)
  }

  /// Converts an error reported by the program to an error of the action.
  package func error(_ failure: PluginFailure) -> ActionError {
    let declared = declaration.errors.first { $0.code == failure.code }?.isRetryable
    return ActionError(
      failure.code, failure.message, isRetryable: failure.isRetryable ?? declared ?? isRetryable,
      retryAfter: failure.retryAfter, exitStatus: failure.exitStatus)
  }
}
