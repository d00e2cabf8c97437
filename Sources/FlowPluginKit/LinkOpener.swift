import FlowModel

/// Opens links that a person tapped. `router` provides an opener; `notification` uses it.
public protocol LinkOpener: Sendable {
  /// Opens the link on `interface` once that is ready, and keeps the link until then.
  ///
  /// Returns the result as a word: `opened`, `deferred`, `duplicate`, `rejected`, `not-found`, `blocked` or
  /// `handler-failed`. It never throws, because a link that cannot be opened is not a failure of its sender.
  func open(_ link: TappedLink, on interface: any UserInterface, in context: ActionContext) async -> String
}

/// A link from a notification.
public struct TappedLink: Sendable, Hashable {
  /// The URL as received.
  public var url: String
  /// The parameters that came with it.
  public var parameters: ValueObject
  /// The identifier of the notification, which tells repeated deliveries of one tap from two taps.
  public var notificationID: String?
  /// The action that the person chose: `default` for a tap, or the identifier of a button.
  public var action: String

  /// Makes a tapped link.
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
