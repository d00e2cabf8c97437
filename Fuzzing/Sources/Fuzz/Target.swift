/// The code to fuzz, selected by the first argument.
enum Target: String, CaseIterable {
  /// Workflows: loading a text, checking the graph and reporting all problems.
  case workflow
  /// Manifests of plugins, `plugin.yaml`.
  case manifest
  /// Expressions: parsing and evaluating a text.
  case expression
  /// JSON: parsing a text, as for payloads, inputs and messages of plugins.
  case json

  /// The function that reads an input. It ends the process if a check fails.
  var check: @Sendable ([UInt8]) -> Void {
    switch self {
    case .workflow: checkWorkflow
    case .manifest: checkManifest
    case .expression: checkExpression
    case .json: checkJSON
    }
  }
}

/// Ends the process with a message if a check fails. libFuzzer then stores the input.
func promise(_ isKept: Bool, _ text: @autoclosure () -> String) {
  if !isKept { fatalError(text()) }
}
