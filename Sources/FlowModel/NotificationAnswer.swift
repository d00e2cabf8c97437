/// A person's answer to a notification, in the words of outputs.
package enum NotificationAnswer {
  /// The notification itself was tapped.
  package static let open = "default"
  /// It was swiped away.
  package static let dismiss = "dismiss"

  /// The word for an action identifier of UserNotifications; an identifier of the app stays as it is.
  package static func word(for identifier: String?) -> String {
    switch identifier {
    case nil, "com.apple.UNNotificationDefaultActionIdentifier": open
    case "com.apple.UNNotificationDismissActionIdentifier": dismiss
    case let identifier?: identifier
    }
  }

  /// The parameters of a payload: an object, or the JSON text of one, because some services deliver only strings.
  package static func parameters(_ value: Value?) -> ValueObject? {
    switch value {
    case .object(let object)?: object
    case .string(let text)?: (try? JSONText.parse(text))?.objectValue
    default: nil
    }
  }
}
