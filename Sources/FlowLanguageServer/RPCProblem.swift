import FlowModel

/// The error for a request that fails. Its codes are those of JSON-RPC and of the Language Server Protocol.
struct RPCProblem: Error {
  let code: Int
  let message: String

  static func parseError(_ message: String) -> RPCProblem { RPCProblem(code: -32700, message: message) }
  static func invalidRequest(_ message: String) -> RPCProblem { RPCProblem(code: -32600, message: message) }
  static func methodNotFound(_ method: String) -> RPCProblem {
    RPCProblem(code: -32601, message: "there is no method '\(method)'")
  }
  static func invalidParameters(_ message: String) -> RPCProblem { RPCProblem(code: -32602, message: message) }
  static let notInitialized = RPCProblem(code: -32002, message: "the first request must be 'initialize'")
  static let cancelled = RPCProblem(code: -32800, message: "the request was cancelled")
  static let contentModified = RPCProblem(code: -32801, message: "the text has been changed since")
  static func failed(_ message: String) -> RPCProblem { RPCProblem(code: -32803, message: message) }

  /// The error object for the response.
  var value: Value { ["code": .integer(code), "message": .string(message)] }
}
