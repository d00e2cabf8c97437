/// A person's response to a notification, as reported in outputs.
package enum NotificationAnswer {
  /// The person tapped the notification itself.
  package static let open = "default"
  /// The person dismissed it.
  package static let dismiss = "dismiss"

  /// Returns the word for an action identifier of UserNotifications; the app's own identifiers are unchanged.
  package static func word(for identifier: String?) -> String {
    switch identifier {
    case nil, "com.apple.UNNotificationDefaultActionIdentifier": open
    case "com.apple.UNNotificationDismissActionIdentifier": dismiss
    case let identifier?: identifier
    }
  }

  /// Returns the parameters of a payload: an object, or the JSON text of one, because some services deliver only
  /// strings.
  package static func parameters(_ value: Value?) -> ValueObject? {
    switch value {
    case .object(let object)?: object
    case .string(let text)?: (try? JSONText.parse(text))?.objectValue
    default: nil
    }
  }
}
