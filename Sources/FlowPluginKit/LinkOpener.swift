import FlowModel

/// Opens links that a person tapped; `router` provides one, `notification` uses it.
public protocol LinkOpener: Sendable {
  /// Opens the link on `interface` when that is ready, and keeps it until it is otherwise.
  ///
  /// Answers in a word what became of it: `opened`, `deferred`, `duplicate`, `rejected`, `not-found`, `blocked` or
  /// `handler-failed`. It never throws: a link that cannot be opened is not a failure of the one who tapped it.
  func open(_ link: TappedLink, on interface: any UserInterface, in context: ActionContext) async -> String
}

/// A link as it stood in a notification.
public struct TappedLink: Sendable, Hashable {
  /// The URL as it was received.
  public var url: String
  /// What came with it.
  public var parameters: ValueObject
  /// The identifier of the notification, by which deliveries of one tap are distinguished from two taps.
  public var notificationID: String?
  /// The action that the person chose: `default` for a tap, otherwise the identifier of a button.
  public var action: String

  /// A link that was tapped.
  public init(
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
  public static let linkOpener: HandleKey = "link-opener"
}
