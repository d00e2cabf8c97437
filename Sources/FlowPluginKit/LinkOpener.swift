import FlowModel

/// Opens links that a person taps. `router` provides a link opener; `notification` uses it.
package protocol LinkOpener: Sendable {
  /// Opens the link on `interface`, or keeps it until the interface is ready.
  ///
  /// Returns one of the words `opened`, `deferred`, `duplicate`, `rejected`, `not-found`, `blocked` and
  /// `handler-failed`. It does not throw, because a link that cannot be opened is not an error of the step that
  /// received it.
  func open(_ link: TappedLink, on interface: any UserInterface, in context: ActionContext) async -> String
}

/// A link in a notification that a person has tapped.
package struct TappedLink: Sendable, Hashable {
  /// The URL, unchanged.
  package var url: String
  /// The parameters that the notification contains.
  package var parameters: ValueObject
  /// The id of the notification, or nil if it has none. If the same tap is delivered twice, both links have the same
  /// id.
  package var notificationID: String?
  /// The person's choice: `default` for the notification itself, or the id of a button.
  package var action: String

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
  /// The key of a ``LinkOpener``.
  package static let linkOpener: HandleKey = "link-opener"
}
