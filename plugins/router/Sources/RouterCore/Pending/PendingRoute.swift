import FlowModel

/// A link that waits for the user interface or is being passed to it (N3).
public struct PendingRoute: Sendable, Hashable {
  /// The URL as it was received.
  public var url: String
  /// The parameters passed with the link; empty if there were none.
  public var parameters: ValueObject
  /// The source of the link.
  public var source: RouteSource
  /// The identifier of the tapped notification; links from launch options have none.
  public var notificationID: String?
  /// The time when the link was received, in milliseconds since 1970.
  public var receivedAtMilliseconds: Int
  /// The maximum waiting time in milliseconds, after which the link is dropped.
  public var timeToLiveMilliseconds: Int
  /// True if the URL or its parameters contain a secret of the run that received it.
  public var isSecret: Bool

  /// Creates a link that has been received.
  public init(
    url: String, parameters: ValueObject = [:], source: RouteSource = .notification, notificationID: String? = nil,
    receivedAtMilliseconds: Int, timeToLiveMilliseconds: Int = PendingPolicy.defaultTimeToLiveMilliseconds,
    isSecret: Bool = false
  ) {
    self.url = url
    self.parameters = parameters
    self.source = source
    self.notificationID = notificationID
    self.receivedAtMilliseconds = receivedAtMilliseconds
    self.timeToLiveMilliseconds = timeToLiveMilliseconds
    self.isSecret = isSecret
  }

  /// True if both links come from the same tap: they have the same identifier, or at least one has none and URL and
  /// parameters are equal (ruling C4).
  public func isSameTap(as other: PendingRoute) -> Bool {
    if let own = notificationID, let others = other.notificationID { return own == others }
    return url == other.url && parameters == other.parameters
  }

  /// True if the link's time to live has passed. If the clock was set back, the link counts as younger.
  public func isExpired(atMilliseconds now: Int) -> Bool {
    now - receivedAtMilliseconds >= timeToLiveMilliseconds
  }
}

extension PendingRoute {
  /// The stored form of the route.
  public var value: Value {
    var object: ValueObject = [
      "url": .string(url), "parameters": .object(parameters), "source": .string(source.rawValue),
      "notification-id": notificationID.map(Value.string) ?? .null, "received-at": .integer(receivedAtMilliseconds),
      "time-to-live": .integer(timeToLiveMilliseconds),
    ]
    if isSecret { object["secret"] = true }
    return .object(object)
  }

  /// Creates the route from its stored form. Returns nil if the value is not valid.
  public init?(_ value: Value) {
    guard let object = value.objectValue, let url = object["url"]?.stringValue,
      let parameters = object["parameters"]?.objectValue,
      let source = object["source"]?.stringValue.flatMap(RouteSource.init(rawValue:)),
      let receivedAt = object["received-at"]?.integerValue, let timeToLive = object["time-to-live"]?.integerValue
    else { return nil }
    self.init(
      url: url, parameters: parameters, source: source, notificationID: object["notification-id"]?.stringValue,
      receivedAtMilliseconds: receivedAt, timeToLiveMilliseconds: timeToLive,
      isSecret: object["secret"]?.booleanValue ?? false)
  }
}

/// The rules for keeping pending routes.
public struct PendingPolicy: Sendable, Hashable {
  /// The rule for waiting routes when another one arrives.
  public enum Keep: String, Sendable, Hashable, CaseIterable {
    /// Only the latest route is kept (N7).
    case latest
    /// All routes are kept in order, up to ``PendingPolicy/capacity``. Then the oldest one is dropped.
    case fifo
  }

  /// The maximum number of waiting routes in a scope.
  public static let capacity = 16
  /// The maximum number of scopes.
  public static let scopeLimit = 16
  /// The default time to live of a route: ten minutes.
  public static let defaultTimeToLiveMilliseconds = 600_000
  /// The time after a hand-off in which another delivery of the same tap counts as a duplicate.
  public static let duplicateWindowMilliseconds = 2_000

  /// The default pause between a flush and the first hand-off, in which the interface settles (N6).
  public static let defaultSettleMilliseconds = 500

  /// The rule for waiting routes when another one arrives.
  public var keep: Keep

  /// Creates a policy; by default only the latest route is kept.
  public init(keep: Keep = .latest) { self.keep = keep }
}
