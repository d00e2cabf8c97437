import FlowModel

/// A link that waits for the user interface or is being passed to it (N3).
public struct PendingRoute: Sendable, Hashable {
  /// The URL as it was received.
  public var url: String
  /// The parameters passed with the link; empty if there were none.
  public var parameters: ValueObject
  /// The kind of sender, which decides the routes that the link may open.
  public var source: RouteSource
  /// The identifier of the tapped notification, or nil if it is unknown or the link comes from elsewhere.
  public var notificationID: String?
  /// The time when the link was received, in milliseconds since 1970.
  public var receivedAtMilliseconds: Int
  /// The maximum waiting time in milliseconds, after which the link expires.
  public var timeToLiveMilliseconds: Int
  /// True if the URL or its parameters contain a secret of the run that received the link.
  public var isSecret: Bool

  /// Creates a pending route for a link that has just been received.
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

  /// True if both links come from the same tap (ruling C4): their notification identifiers are equal or, if one is
  /// missing, their URLs and parameters are equal.
  public func isSameTap(as other: PendingRoute) -> Bool {
    if let own = notificationID, let others = other.notificationID { return own == others }
    return url == other.url && parameters == other.parameters
  }

  /// True if the link's time to live has passed. After the clock was set back, the link appears younger than it is.
  public func isExpired(atMilliseconds now: Int) -> Bool {
    now - receivedAtMilliseconds >= timeToLiveMilliseconds
  }
}

extension PendingRoute {
  /// The route as a value for persistent storage.
  public var value: Value {
    var object: ValueObject = [
      "url": .string(url), "parameters": .object(parameters), "source": .string(source.rawValue),
      "notification-id": notificationID.map(Value.string) ?? .null, "received-at": .integer(receivedAtMilliseconds),
      "time-to-live": .integer(timeToLiveMilliseconds),
    ]
    if isSecret { object["secret"] = true }
    return .object(object)
  }

  /// Restores a route from ``value``. Returns nil if the value is invalid.
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

/// The rule that decides which pending routes are kept.
public struct PendingPolicy: Sendable, Hashable {
  /// The treatment of waiting routes when another one arrives.
  public enum Keep: String, Sendable, Hashable, CaseIterable {
    /// Only the latest route is kept (N7).
    case latest
    /// All routes are kept in order of arrival. When ``PendingPolicy/capacity`` is exceeded, the oldest one is dropped.
    case fifo
  }

  /// The maximum number of waiting routes in a scope. With ``Keep/latest``, there is at most one.
  public static let capacity = 16
  /// The maximum number of scopes in which routes can wait at the same time.
  public static let scopeLimit = 16
  /// The default time to live of a route: ten minutes.
  public static let defaultTimeToLiveMilliseconds = 600_000
  /// The time after a link was finished or replaced, in milliseconds, during which another delivery of the same tap
  /// counts as a duplicate.
  public static let duplicateWindowMilliseconds = 2_000

  /// The default pause between a flush and the first hand-off (N6). It gives the interface time to settle.
  public static let defaultSettleMilliseconds = 500

  /// The treatment of waiting routes when another one arrives.
  public var keep: Keep

  /// Creates a policy; by default only the latest route is kept.
  public init(keep: Keep = .latest) { self.keep = keep }
}
