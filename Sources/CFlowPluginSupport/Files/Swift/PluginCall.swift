/// A call to an action.
public struct PluginCall {
  let id: Int
  /// The number of the attempt, counted from 1.
  public let attempt: Int
  /// The variables that the workflow sets for this step.
  public let environment: [String: String]
  /// The time until the step's deadline in milliseconds, or nil if it has none.
  public let remainingMilliseconds: Int?
  /// The messages that are read from standard input while the action works.
  let messages: Messages

  init(id: Int, parameters: JSON, messages: Messages) throws {
    self.id = id
    attempt = parameters["attempt"]?.integer ?? 1
    environment = try JSONDecoding.decode([String: String].self, from: parameters["env"] ?? .object([]))
    remainingMilliseconds = parameters["remainingMilliseconds"]?.integer
    self.messages = messages
  }

  /// True if the action should end early. An action that works for a long time should check this regularly and return.
  public var isCancelled: Bool { messages.isCancelled(id) }

  /// Sleeps. Throws ``Cancelled`` as soon as the action should end.
  public func wait(_ duration: Duration) throws {
    let end = ContinuousClock.now + duration
    while !isCancelled {
      let left = (end - .now) / .milliseconds(1)
      if left <= 0 { return }
      messages.look(milliseconds: Int32(min(left.rounded(.up), 1_000_000)))
    }
    throw Cancelled()
  }

  /// Adds a line to the run's log. The levels are debug, info, warning and error.
  public func log(_ message: String, level: String = "info") {
    notify("log", [("level", .string(level)), ("message", .string(message))])
  }

  /// Reports the progress of the action, from 0 to 1.
  public func progress(_ fraction: Double, _ message: String = "") {
    notify("progress", [("fraction", .number(fraction)), ("message", .string(message))])
  }

  /// Posts an event that plugin.yaml declares.
  public func post(_ event: String) { notify("post", [("event", .string(event))]) }

  /// Posts an event that plugin.yaml declares, with a value.
  public func post<Posted: Encodable>(_ event: String, value: Posted) throws {
    notify("post", [("event", .string(event)), ("value", try JSONEncoding.json(value))])
  }

  /// Reports that a service is ready, with its outputs. The steps that depend on the service can then start.
  public func ready<Outputs: Encodable>(_ outputs: Outputs) throws {
    notify("ready", [("outputs", try JSONEncoding.json(outputs))])
  }

  private func notify(_ method: String, _ parameters: [(key: String, value: JSON)]) {
    send([("method", .string(method)), ("params", .object([("id", .integer(id))] + parameters))])
  }
}
