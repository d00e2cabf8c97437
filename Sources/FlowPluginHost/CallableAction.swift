import FlowModel
import FlowPluginKit
import FlowSyntax

/// An action of a manifest with everything that is the same in each of its calls made once.
package final class CallableAction: Sendable {
  /// What the manifest says of it.
  package let declaration: ActionDeclaration
  /// Whether an error that does not say so itself can be retried.
  let isRetryable: Bool
  /// What is in a request between its id and its inputs.
  let requestHead: [UInt8]
  /// The inputs of type duration, which a request holds in milliseconds too.
  let durationNames: [String]
  private let inputType: ValueType
  private let outputType: ValueType

  /// An action of a manifest.
  convenience init(_ action: PluginManifest.Action) { self.init(action.declaration, isRetryable: action.isRetryable) }

  private init(_ declaration: ActionDeclaration, isRetryable: Bool) {
    self.declaration = declaration
    self.isRetryable = isRetryable
    requestHead = HostMessage.runHead(action: declaration.name)
    durationNames = declaration.inputs.filter { $0.type == .duration }.map(\.name)
    inputType = .object(properties: declaration.inputs)
    outputType = .object(properties: declaration.outputs)
  }

  /// An action that is declared elsewhere than in a manifest.
  package convenience init(_ declaration: ActionDeclaration) {
    self.init(declaration, isRetryable: true)
  }

  /// The inputs as the program gets them: with defaults, checked against the declared types.
  ///
  /// Throws a `TypeMismatch` as a compiled-in action does.
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

  /// The outputs that the program gave for these inputs, checked against the declared types.
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

  /// The program's failure as the engine knows it.
  package func error(_ failure: PluginFailure) -> ActionError {
    let declared = declaration.errors.first { $0.code == failure.code }?.isRetryable
    return ActionError(
      failure.code, failure.message, isRetryable: failure.isRetryable ?? declared ?? isRetryable,
      retryAfter: failure.retryAfter, exitStatus: failure.exitStatus)
  }
}
