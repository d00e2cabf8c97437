import FlowModel

/// A payload and, if it is in a response from UserNotifications, the person's choice.
struct NotificationResponse {
  let payload: NotificationPayload
  /// `default`, `dismiss` or the identifier of a button. Nil if the payload is not in a response.
  let action: String?
  let reply: String?

  /// True if the page of the notification should open: it was tapped, or there is no response.
  let opensPage: Bool
  /// Warnings about the response and its payload, one sentence each.
  let warnings: [String]

  /// Reads a response or a payload from JSON text or from an object. Throws the problem with its location.
  init(_ value: Value, limit: NotificationPayload.Limit) throws(NotificationPayload.PayloadProblem) {
    let object = value.objectValue ?? value.stringValue.flatMap { (try? JSONText.parse($0))?.objectValue }
    let request = object?["notification"]?.objectValue?["request"]?.objectValue
    guard let object, let content = request?["content"]?.objectValue, let userInfo = content["userInfo"] else {
      payload = try NotificationPayload(value, limit: limit)
      (action, reply) = (nil, nil)
      opensPage = true
      warnings = payload.warnings
      return
    }
    payload = try NotificationPayload(userInfo, limit: limit, content: content)
    action = NotificationAnswer.word(in: object)
    reply = object["userText"]?.stringValue
    opensPage = action == NotificationAnswer.open
    let problem = "the response's 'actionIdentifier' is empty or not a text, so the response opens nothing"
    warnings = payload.warnings + (action == nil ? [problem] : [])
  }
}
