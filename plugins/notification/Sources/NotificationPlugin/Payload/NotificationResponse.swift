import FlowModel

/// A payload and, if it comes from a UserNotifications response, the person's choice.
struct NotificationResponse {
  let payload: NotificationPayload
  /// `default`, `dismiss` or the identifier of a button; nil for a payload without a response.
  let action: String?
  let reply: String?

  /// True if the page of the notification should open.
  var opensPage: Bool { action == nil || action == NotificationAnswer.open }

  /// Reads JSON text or an object; throws the problem and its location.
  init(_ value: Value, limit: NotificationPayload.Limit) throws(NotificationPayload.PayloadProblem) {
    let object = value.objectValue ?? value.stringValue.flatMap { (try? JSONText.parse($0))?.objectValue }
    let request = object?["notification"]?.objectValue?["request"]?.objectValue
    guard let object, let userInfo = request?["content"]?.objectValue?["userInfo"] else {
      payload = try NotificationPayload(value, limit: limit)
      (action, reply) = (nil, nil)
      return
    }
    payload = try NotificationPayload(userInfo, limit: limit)
    action = NotificationAnswer.word(for: object["actionIdentifier"]?.stringValue)
    reply = object["userText"]?.stringValue
  }
}
