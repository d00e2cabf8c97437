import FlowModel

/// Opens the links that a person taps. `router` provides one; `notification` uses it.
package protocol LinkOpener: Sendable {
  /// Opens the link on `interface`, or keeps it until the interface is ready.
  ///
  /// Returns one of the words `opened`, `deferred`, `duplicate`, `rejected`, `not-found`, `blocked` and
  /// `handler-failed`. It does not throw, because a link that cannot be opened is not an error of the step that
  /// received it.
  func open(_ link: TappedLink, on interface: any UserInterface, in context: ActionContext) async -> String
}

/// A link in a notification.
package struct TappedLink: Sendable, Hashable {
  /// The URL as received.
  package var url: String
  /// The parameters in the notification.
  package var parameters: ValueObject
  /// The id of the notification. If a tap is delivered twice, both links have the same id.
  package var notificationID: String?
  /// The person's choice: `default` for a tap, or the id of a button.
  package var action: String

  /// Creates a link.
  package init(
    url: String, parameters: ValueObject = [:], notificationID: String? = nil, action: String = "default"
  ) {
    self.action = action
    self.url = url
    self.parameters = parameters
    self.notificationID = notificationID
  }
}

extension HandleKey {
  /// A ``LinkOpener``.
  package static let linkOpener: HandleKey = "link-opener"
}
