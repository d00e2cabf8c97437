/// A plugin's program: its actions, and the loop that answers calls until flowrun closes standard input.
///
/// ```swift
/// import FlowPlugin
///
/// struct Input: Decodable { var text: String; var pause: Duration }
/// struct Output: Encodable { var text: String }
///
/// var plugin = PluginProgram()
///
/// plugin.action("shout.text") { (input: Input, call) in
///   try call.wait(input.pause)
///   return Output(text: input.text.uppercased())
/// }
///
/// plugin.serve()
/// ```
public struct PluginProgram {
  private var actions: [(name: String, run: (JSON, PluginCall) throws -> JSON)] = []

  /// Creates a program without actions.
  public init() {}

  /// Adds an action: a function that converts the inputs declared in plugin.yaml to its outputs. Inputs of type
  /// duration are decoded as `Duration`, or as their milliseconds.
  public mutating func action<Input: Decodable, Output: Encodable>(
    _ name: String, _ body: @escaping (Input, PluginCall) throws -> Output
  ) {
    actions.append(
      (name, { inputs, call in try JSONEncoding.json(body(JSONDecoding.decode(Input.self, from: inputs), call)) }))
  }

  /// Answers calls, one after another, until standard input ends. Standard output is reserved for the protocol; all
  /// other output goes to standard error.
  public func serve() {
    let messages = Messages()
    while let message = messages.next() {
      let id = message["id"] ?? .null
      let parameters = message["params"] ?? .null
      switch message["method"]?.text {
      case "initialize": introduce(id, parameters)
      case "run": run(id, parameters, messages)
      case "shutdown": return
      default: break
      }
    }
  }

  /// Answers `initialize` with the name and version of plugin.yaml, which flowrun has sent.
  private func introduce(_ id: JSON, _ parameters: JSON) {
    let names = JSON.array(actions.map { .string($0.name) })
    let members = ["name", "version"].map { ($0, parameters[$0] ?? .null) }
    answer(id, .object(members + [("actions", names)]))
  }

  private func run(_ id: JSON, _ parameters: JSON, _ messages: Messages) {
    let name = parameters["action"]?.text ?? ""
    guard let action = actions.first(where: { $0.name == name }) else {
      return fail(id, PluginError("unknown-action", "there is no action '\(name)'"))
    }
    let number = id.integer ?? 0
    defer { messages.forget(number) }
    do {
      if messages.isCancelledSoFar(number) { throw Cancelled() }
      let call = try PluginCall(id: number, parameters: parameters, messages: messages)
      answer(id, .object([("outputs", try action.run(inputs(of: parameters), call))]))
    } catch let error as PluginError {
      fail(id, error)
    } catch is Cancelled {
      fail(id, PluginError("cancelled", "the call was cancelled"))
    } catch DecodingError.dataCorrupted(let context) {
      fail(id, PluginError("failed", "the inputs do not fit the action: \(context.debugDescription)"))
    } catch {
      fail(id, PluginError("failed", "\(error)"))
    }
  }

  /// Returns the inputs, with durations as milliseconds.
  private func inputs(of parameters: JSON) -> JSON {
    guard case .object(let members)? = parameters["inputs"] else { return .object([]) }
    guard let milliseconds = parameters["milliseconds"] else { return .object(members) }
    return .object(members.map { ($0.key, milliseconds[$0.key] ?? $0.value) })
  }
}
