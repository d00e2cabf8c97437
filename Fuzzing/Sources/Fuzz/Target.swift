/// The code that is fuzzed, selected by the first word on the command line.
enum Target: String, CaseIterable {
  /// Workflows: from text to a checked graph, and the reports of all problems.
  case workflow
  /// `plugin.yaml`.
  case manifest
  /// Expressions: from text to a value.
  case expression
  /// JSON, as in payloads, inputs and messages of plugins.
  case json

  /// Reads an input. Ends the process if a check fails.
  var check: @Sendable ([UInt8]) -> Void {
    switch self {
    case .workflow: checkWorkflow
    case .manifest: checkManifest
    case .expression: checkExpression
    case .json: checkJSON
    }
  }
}

/// Ends the process with a message if a check fails, so that libFuzzer keeps the input.
func promise(_ isKept: Bool, _ text: @autoclosure () -> String) {
  if !isKept { fatalError(text()) }
}
