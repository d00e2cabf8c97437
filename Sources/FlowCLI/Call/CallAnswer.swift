import FlowModel
import FlowPluginKit

/// The answer to a call as JSON: `{"outputs":…}` or `{"error":{"code":…,"message":…}}`.
enum CallAnswer {
  static func outputs(_ outputs: ValueObject) -> Value { ["outputs": .object(outputs)] }

  static func problem(_ code: String, _ message: String) -> Value {
    ["error": ["code": .string(code), "message": .string(message)]]
  }

  static func failure(_ error: any Error) -> Value {
    switch error {
    case let error as ActionError: problem(error.code, error.message)
    case let mismatch as TypeMismatch:
      problem("input", mismatch.description + (mismatch.help.map { "; \($0)" } ?? ""))
    case let wrong as BatchProblem: problem("input", wrong.message)
    case is CancellationError: problem("cancelled", "the call was cancelled")
    default: problem("failure", "\(error)")
    }
  }
}
