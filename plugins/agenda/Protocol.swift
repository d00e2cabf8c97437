// Speaks flowrun's protocol on standard input and output: JSON-RPC 2.0, one message a line. Nothing here needs editing;
// the actions are in main.swift. Standard output belongs to the protocol: write everything else to standard error.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An error with a word for programs and a sentence for people.
struct PluginError: Error {
  var code: String
  var message: String
  /// Whether another try may succeed; nil: what the manifest says.
  var isRetryable: Bool?

  init(_ code: String, _ message: String, isRetryable: Bool? = nil) {
    self.code = code
    self.message = message
    self.isRetryable = isRetryable
  }
}

/// The call that an action answers.
struct PluginCall {
  let id: Int
  /// Which try this is; the first is 1.
  let attempt: Int
  /// The variables that the workflow gives this step.
  let environment: [String: String]

  /// Writes a line to the run's log; the levels are debug, info, warning and error.
  func log(_ message: String, level: String = "info") {
    notify("log", LogParameters(id: id, level: level, message: message))
  }

  /// Tells how far the action is, from 0 to 1.
  func progress(_ fraction: Double, _ message: String = "") {
    notify("progress", ProgressParameters(id: id, fraction: fraction, message: message))
  }

  /// Posts an event that the manifest declares.
  func post(_ event: String) { notify("post", PostParameters(id: id, event: event)) }

  private func notify<P: Encodable>(_ method: String, _ parameters: P) {
    send(Notification(method: method, params: parameters))
  }
}

/// A plugin's program: its actions, and the loop that answers calls until flowrun is done.
struct PluginProgram {
  let name: String
  let version: String
  private var actions: [(name: String, run: (Data) throws -> Data)] = []

  init(name: String, version: String) {
    self.name = name
    self.version = version
  }

  /// Adds an action: a function from the inputs that the manifest declares to its outputs.
  mutating func action<Input: Decodable, Output: Encodable>(
    _ name: String, _ body: @escaping (Input, PluginCall) throws -> Output
  ) {
    actions.append(
      (
        name,
        { line in
          let request = try JSONDecoder().decode(RunRequest<Input>.self, from: line)
          let call = PluginCall(
            id: request.id, attempt: request.params.attempt, environment: request.params.env)
          let outputs = try body(request.params.inputs, call)
          return try JSONEncoder().encode(Answer(id: request.id, result: Outputs(outputs: outputs)))
        }
      ))
  }

  /// Answers calls, one after the other, until standard input ends.
  func serve() {
    while let line = readLine() {
      let data = Data(line.utf8)
      guard let message = try? JSONDecoder().decode(Message.self, from: data) else { continue }
      switch message.method {
      case "initialize":
        send(Answer(id: message.id, result: Greeting(name: name, version: version, actions: actions.map(\.name))))
      case "run": answer(message, data)
      case "shutdown": return
      default: break
      }
    }
  }

  private func answer(_ message: Message, _ line: Data) {
    guard let action = actions.first(where: { $0.name == message.params?.action }) else {
      return fail(message.id, PluginError("unknown-action", "there is no action '\(message.params?.action ?? "")'"))
    }
    do {
      sendLine(try action.run(line))
    } catch {
      fail(message.id, error as? PluginError ?? PluginError("failed", "\(error)"))
    }
  }

  private func fail(_ id: Int?, _ error: PluginError) {
    send(
      Failure(
        id: id,
        error: FailureBody(
          code: error.code, message: error.message, data: error.isRetryable.map { FailureData(retryable: $0) })))
  }
}

private func send<M: Encodable>(_ message: M) {
  if let line = try? JSONEncoder().encode(message) { sendLine(line) }
}

private func sendLine(_ line: Data) {
  print(String(decoding: line, as: UTF8.self))
  fflush(nil)
}

private struct Message: Decodable {
  struct Parameters: Decodable { var action: String? }
  var id: Int?
  var method: String
  var params: Parameters?
}

private struct RunRequest<Input: Decodable>: Decodable {
  struct Parameters: Decodable {
    var inputs: Input
    var env: [String: String]
    var attempt: Int
  }
  var id: Int
  var params: Parameters
}

private struct Answer<Result: Encodable>: Encodable {
  var jsonrpc = "2.0"
  var id: Int?
  var result: Result
}

private struct Greeting: Encodable {
  var name: String
  var version: String
  var actions: [String]
}

private struct Outputs<Output: Encodable>: Encodable { var outputs: Output }

private struct Failure: Encodable {
  var jsonrpc = "2.0"
  var id: Int?
  var error: FailureBody
}

private struct FailureBody: Encodable {
  var code: String
  var message: String
  var data: FailureData?
}

private struct FailureData: Encodable { var retryable: Bool }

private struct Notification<P: Encodable>: Encodable {
  var jsonrpc = "2.0"
  var method: String
  var params: P
}

private struct LogParameters: Encodable {
  var id: Int
  var level: String
  var message: String
}

private struct ProgressParameters: Encodable {
  var id: Int
  var fraction: Double
  var message: String
}

private struct PostParameters: Encodable {
  var id: Int
  var event: String
}
