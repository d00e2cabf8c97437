/// A person's response to a notification, as a string in outputs.
package enum NotificationAnswer {
  /// The person tapped the notification itself.
  package static let open = "default"
  /// The person dismissed the notification.
  package static let dismiss = "dismiss"

  /// Returns the string for an action identifier of UserNotifications. Identifiers of the app are returned unchanged.
  package static func word(for identifier: String?) -> String {
    switch identifier {
    case nil, "com.apple.UNNotificationDefaultActionIdentifier": open
    case "com.apple.UNNotificationDismissActionIdentifier": dismiss
    case let identifier?: identifier
    }
  }

  /// Returns the parameters in a payload. They may be JSON text, because some services deliver only strings.
  package static func parameters(_ value: Value?) -> ValueObject? {
    switch value {
    case .object(let object)?: object
    case .string(let text)?: (try? JSONText.parse(text))?.objectValue
    default: nil
    }
  }
}
