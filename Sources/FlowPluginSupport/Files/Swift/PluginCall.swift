/// The call that an action answers.
package struct PluginCall {
  let id: Int
  /// Which attempt this is; the first is 1.
  package let attempt: Int
  /// The variables that the workflow gives this step.
  package let environment: [String: String]
  /// How long the step's deadline leaves for the call, in milliseconds; nil: it has none.
  package let remainingMilliseconds: Int?
  /// What is read of standard input while the action works.
  let messages: Messages

  init(id: Int, parameters: JSON, messages: Messages) throws {
    self.id = id
    attempt = parameters["attempt"]?.integer ?? 1
    environment = try JSONDecoding.decode([String: String].self, from: parameters["env"] ?? .object([]))
    remainingMilliseconds = parameters["remainingMilliseconds"]?.integer
    self.messages = messages
  }

  /// Whether the call should be given up; anyone who works long asks now and then, and returns.
  package var isCancelled: Bool { messages.isCancelled(id) }

  /// Sleeps; throws ``Cancelled`` as soon as the call should be given up.
  package func wait(_ duration: Duration) throws {
    let end = ContinuousClock.now + duration
    while !isCancelled {
      let left = (end - .now) / .milliseconds(1)
      if left <= 0 { return }
      messages.look(milliseconds: Int32(min(left.rounded(.up), 1_000_000)))
    }
    throw Cancelled()
  }

  /// Writes a line to the run's log; the levels are debug, info, warning and error.
  package func log(_ message: String, level: String = "info") {
    notify("log", [("level", .string(level)), ("message", .string(message))])
  }

  /// Says how far the action is, from 0 to 1.
  package func progress(_ fraction: Double, _ message: String = "") {
    notify("progress", [("fraction", .number(fraction)), ("message", .string(message))])
  }

  /// Posts an event that plugin.yaml declares.
  package func post(_ event: String) { notify("post", [("event", .string(event))]) }

  /// Posts an event that plugin.yaml declares, with a value.
  package func post<Posted: Encodable>(_ event: String, value: Posted) throws {
    notify("post", [("event", .string(event)), ("value", try JSONEncoding.json(value))])
  }

  /// Says that a service is ready, with its outputs; what needs it continues.
  package func ready<Outputs: Encodable>(_ outputs: Outputs) throws {
    notify("ready", [("outputs", try JSONEncoding.json(outputs))])
  }

  private func notify(_ method: String, _ parameters: [(key: String, value: JSON)]) {
    send([("method", .string(method)), ("params", .object([("id", .integer(id))] + parameters))])
  }
}
