import FlowModel
import FlowPluginKit
import FlowSyntax

extension PluginManifest.Action {
  /// The inputs as the program gets them: with defaults, checked against the declared types.
  ///
  /// Throws a `TypeMismatch` as a compiled-in action does.
  func completed(_ inputs: ValueObject) throws(TypeMismatch) -> ValueObject {
    var completed = inputs
    for field in declaration.inputs {
      let given = inputs[field.name].flatMap { $0.isNull && field.type != .any ? nil : $0 }
      completed[field.name] = given ?? field.defaultValue
    }
    if let mismatch = ValueType.object(properties: declaration.inputs).mismatch(of: .object(completed)) {
      throw mismatch
    }
    return completed
  }

  /// The outputs that the program gave, checked against the declared types.
  func checkedOutputs(_ value: Value) throws(ActionError) -> ValueObject {
    guard let outputs = value.objectValue else {
      throw lie("gave outputs that are \(value.shortText), not an object")
    }
    if let mismatch = ValueType.object(properties: declaration.outputs).mismatch(of: value) {
      throw lie("gave outputs that its manifest does not declare: \(mismatch.description)")
    }
    return outputs
  }

  private func lie(_ what: String) -> ActionError {
    ActionError("plugin-output", "'\(declaration.name)' \(what)", isRetryable: false)
  }

  /// The program's failure as the engine knows it.
  func error(_ failure: PluginFailure) -> ActionError {
    let declared = declaration.errors.first { $0.code == failure.code }?.isRetryable
    return ActionError(
      failure.code, failure.message, isRetryable: failure.isRetryable ?? declared ?? isRetryable,
      retryAfter: failure.retryAfter)
  }
}
