import FlowModel
import FlowPluginKit

/// A JSON-RPC 2.0 message of a plugin's program. Each message is one line.
enum PluginMessage: Sendable {
  /// The outputs of a call, or the result of `initialize`.
  case result(id: Int, Value)
  /// The error with which a call failed.
  case failure(id: Int, PluginFailure)
  /// A line for the log. If `stream` is not nil, a command wrote the line to that stream.
  case log(call: Int?, level: LogLevel, stream: LogStream?, message: String)
  /// The progress of a call, as a fraction from 0 to 1 and a text for users.
  case progress(call: Int?, fraction: Double, message: String)
  /// An event that the step posts to the other steps of the run.
  case post(call: Int?, event: String, value: Value)
  /// A service is ready, with its outputs.
  case ready(call: Int?, outputs: Value)
  /// The answer to a ping.
  case pong
  /// The action of a queued call has started to run.
  case started(call: Int?)
  /// A worker requests a receipt; see ``WorkerTerms/isRemote``.
  case receipt
  /// More log lines of a call may follow its answer, because a process that the call started is still running.
  case linesFollow(call: Int)
  /// A message with an unknown method, for example from a program for a newer protocol.
  case unknown(method: String)

  /// The reason why a line is not a valid message.
  struct MessageProblem: Error {
    let message: String
    init(_ message: String) { self.message = message }
  }

  init(line: ArraySlice<UInt8>) throws(MessageProblem) {
    let value: Value
    do throws(JSONProblem) {
      value = try JSONText.parse(line, rules: .ofOutputs)
    } catch {
      throw MessageProblem("which is not JSON (column \(error.column): \(error.message))")
    }
    guard let members = value.objectValue else { throw MessageProblem("which is not a JSON object") }
    if let method = members["method"] {
      guard let method = method.stringValue else { throw MessageProblem("whose 'method' is not a string") }
      self = try Self.notification(method, members["params"]?.objectValue ?? [:])
    } else {
      guard let id = members["id"]?.integerValue else {
        throw MessageProblem("which has neither a 'method' nor a number 'id'")
      }
      self = try Self.answer(id, members)
    }
  }

  private static func answer(_ id: Int, _ members: ValueObject) throws(MessageProblem) -> PluginMessage {
    switch (members["result"], members["error"]) {
    case (let result?, nil), (let result?, .null?): return .result(id: id, result)
    case (nil, let error?), (.null?, let error?):
      guard let error = error.objectValue else { throw MessageProblem("whose 'error' is not an object") }
      return .failure(id: id, PluginFailure(error))
    case (nil, nil): throw MessageProblem("which has an 'id' but neither 'result' nor 'error'")
    case (_?, _?): throw MessageProblem("which has both 'result' and 'error'")
    }
  }

  private static func notification(
    _ method: String, _ parameters: ValueObject
  ) throws(MessageProblem) -> PluginMessage {
    let call = parameters["id"]?.integerValue
    let message = parameters["message"]?.stringValue ?? ""
    switch method {
    case "log":
      return .log(
        call: call, level: LogLevel(rawValue: parameters["level"]?.stringValue ?? "") ?? .info,
        stream: parameters["stream"]?.stringValue.flatMap { LogStream(rawValue: $0) }, message: message)
    case "progress":
      guard let fraction = parameters["fraction"]?.numberValue else {
        throw MessageProblem("a 'progress' without a number 'fraction'")
      }
      return .progress(call: call, fraction: min(max(fraction, 0), 1), message: message)
    case "post":
      guard let event = parameters["event"]?.stringValue else {
        throw MessageProblem("a 'post' without a string 'event'")
      }
      return .post(call: call, event: event, value: parameters["value"] ?? .null)
    case "ready":
      return .ready(call: call, outputs: parameters["outputs"] ?? [:])
    case "pong": return .pong
    case "started": return .started(call: call)
    case "receipt": return .receipt
    case "lines-follow":
      guard let call else { throw MessageProblem("a 'lines-follow' without a number 'id'") }
      return .linesFollow(call: call)
    default:
      return .unknown(method: method)
    }
  }
}

/// The error that a program reports in a response.
package struct PluginFailure: Sendable, Hashable {
  /// The error code, a word for programs. A number sent by the program is appended to `error`.
  package let code: String
  package let message: String
  /// True if another attempt may succeed. If nil, the declaration in the manifest decides.
  package let isRetryable: Bool?
  /// The minimum pause before another attempt, or nil if the program does not specify one.
  package let retryAfter: Duration?
  /// The exit status of a failed command, or nil if the action does not run a command.
  package let exitStatus: Int?

  /// Parses the `error` member of a response.
  package init(_ members: ValueObject) {
    switch members["code"] {
    case .string(let word)?: code = word
    case let number?: code = number.integerValue.map { "error\($0)" } ?? "plugin-error"
    case nil: code = "plugin-error"
    }
    message = members["message"]?.stringValue ?? "the plugin sent no message"
    let data = members["data"]?.objectValue ?? [:]
    isRetryable = data["retryable"]?.booleanValue
    exitStatus = data["exitStatus"]?.integerValue
    retryAfter = data["retryAfterMilliseconds"]?.numberValue.map { .milliseconds(min(max($0, 0), 36_000_000_000)) }
  }
}
