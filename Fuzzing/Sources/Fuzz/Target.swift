/// What is fuzzed; the first word on the command line.
enum Target: String, CaseIterable {
  /// Workflows: text to checked graph, and the reports of what is wrong.
  case workflow
  /// `plugin.yaml`.
  case manifest
  /// Expressions: text to value.
  case expression
  /// JSON, as payloads, inputs and plugins bring it.
  case json

  /// Reads an input; a broken promise ends the process.
  var check: @Sendable ([UInt8]) -> Void {
    switch self {
    case .workflow: checkWorkflow
    case .manifest: checkManifest
    case .expression: checkExpression
    case .json: checkJSON
    }
  }
}

/// Ends the process with the promise that does not hold, so that libFuzzer keeps the input.
func promise(_ isKept: Bool, _ text: @autoclosure () -> String) {
  if !isKept { fatalError(text()) }
}
