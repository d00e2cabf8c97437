/// The words by which outputs represent a person's response to a notification.
package enum NotificationAnswer {
  /// The word for a tap on the notification itself.
  package static let open = "default"
  /// The word for dismissing the notification.
  package static let dismiss = "dismiss"

  /// Returns the word for an action identifier of UserNotifications, where nil is a tap. Identifiers that the app
  /// defines are returned unchanged.
  package static func word(for identifier: String?) -> String {
    switch identifier {
    case nil, "com.apple.UNNotificationDefaultActionIdentifier": open
    case "com.apple.UNNotificationDismissActionIdentifier": dismiss
    case let identifier?: identifier
    }
  }

  /// Returns the word for the action identifier in a response, where no identifier or null is a tap. Returns nil if the
  /// identifier is empty or not a string: a response of unknown form must not count as a tap, which would open a page.
  package static func word(in response: ValueObject) -> String? {
    switch response["actionIdentifier"] {
    case nil, .null?: open
    case .string(let identifier)? where !identifier.isEmpty: word(for: identifier)
    default: nil
    }
  }

  /// True if the `aps` part of a payload wakes the app but shows nothing that a person could tap.
  package static func isSilent(_ aps: ValueObject?) -> Bool {
    guard let flag = aps?["content-available"], flag.integerValue == 1 || flag.booleanValue == true else {
      return false
    }
    switch aps?["alert"] {
    case nil, .null?: return true
    case .string(let text)?: return text.isEmpty
    case .object(let alert)?: return alert.isEmpty
    default: return false
    }
  }

  /// Returns the parameters in a payload, or nil if `value` contains no object. They may be JSON text, because some
  /// services deliver only strings.
  package static func parameters(_ value: Value?) -> ValueObject? {
    switch value {
    case .object(let object)?: object
    case .string(let text)?: (try? JSONText.parse(text))?.objectValue
    default: nil
    }
  }
}
