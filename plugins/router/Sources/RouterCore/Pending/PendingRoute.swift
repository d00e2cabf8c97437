import FlowModel

/// A link that waits for the user interface, or is on its way to it (N3).
public struct PendingRoute: Sendable, Hashable {
  /// The URL as it was received.
  public var url: String
  /// What came with it; empty when nothing did.
  public var parameters: ValueObject
  /// Where it came from.
  public var source: RouteSource
  /// The identifier of the notification that was tapped; deliveries through launch options have none.
  public var notificationID: String?
  /// When it was received, in milliseconds since 1970.
  public var receivedAtMilliseconds: Int
  /// How long it may wait; past that it is dropped.
  public var timeToLiveMilliseconds: Int
  /// Whether URL or parameters hold a secret of the run that received it.
  public var isSecret: Bool

  /// A link that was received.
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

  /// Whether both are deliveries of one tap: both have an identifier and it is the same, or one has none and URL and
  /// parameters are equal (ruling C4).
  public func isSameTap(as other: PendingRoute) -> Bool {
    if let own = notificationID, let others = other.notificationID { return own == others }
    return url == other.url && parameters == other.parameters
  }

  /// Whether its time to live has passed. A clock that was set back makes it younger, never older.
  public func isExpired(atMilliseconds now: Int) -> Bool {
    now - receivedAtMilliseconds >= timeToLiveMilliseconds
  }
}

extension PendingRoute {
  /// The route as it is kept in a store.
  public var value: Value {
    var object: ValueObject = [
      "url": .string(url), "parameters": .object(parameters), "source": .string(source.rawValue),
      "notification-id": notificationID.map(Value.string) ?? .null, "received-at": .integer(receivedAtMilliseconds),
      "time-to-live": .integer(timeToLiveMilliseconds),
    ]
    if isSecret { object["secret"] = true }
    return .object(object)
  }

  /// The route that `value` holds, or nil when it holds none.
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

/// How pending routes are kept.
public struct PendingPolicy: Sendable, Hashable {
  /// Which routes are kept when another comes.
  public enum Keep: String, Sendable, Hashable, CaseIterable {
    /// The latest alone (N7).
    case latest
    /// All in order, up to ``PendingPolicy/capacity``; past that the oldest is dropped.
    case fifo
  }

  /// The most routes that wait in one scope.
  public static let capacity = 16
  /// The most scopes.
  public static let scopeLimit = 16
  /// How long a route may wait where nothing else is stated: ten minutes.
  public static let defaultTimeToLiveMilliseconds = 600_000
  /// How long after its hand-off a second delivery of a tap is still a duplicate.
  public static let duplicateWindowMilliseconds = 2_000

  /// How long the user interface is left alone after it became ready, unless a flush says otherwise (N6).
  public static let defaultSettleMilliseconds = 500

  /// Which routes are kept.
  public var keep: Keep

  /// A policy; the latest alone is kept unless stated otherwise.
  public init(keep: Keep = .latest) { self.keep = keep }
}
