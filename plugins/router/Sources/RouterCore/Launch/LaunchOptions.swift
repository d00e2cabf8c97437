import FlowModel

/// What came with a launch: the keys of the launch-options dictionary and of a scene's connection options (R12, R15, R17),
/// and the link among them.
public struct LaunchOptions: Sendable, Hashable {
  /// A key that is understood, by its name without a prefix.
  public enum Key: String, Sendable, Hashable, CaseIterable {
    // The launch-options dictionary.
    case url
    case remoteNotification
    case localNotification
    case location
    case shortcutItem
    case userActivityDictionary
    case userActivityType
    case bluetoothCentrals
    case bluetoothPeripherals
    case cloudKitShareMetadata
    case sourceApplication
    case annotation
    case eventAttribution
    // A scene's connection options.
    case notificationResponse
    case urlContexts
    case userActivities
    case handoffUserActivityType
  }

  /// A link that launched the application.
  public struct Link: Sendable, Hashable {
    /// The URL.
    public let url: String
    /// What came beside it.
    public let parameters: ValueObject
    /// Where it came from.
    public let source: RouteSource
    /// The notification's identifier, which only a scene's options have.
    public let notificationID: String?
  }

  /// The keys that are there, understood and supported.
  public let keys: [Key]
  /// The keys that are ignored: unknown, or of a feature the application does not have (R14).
  public let ignored: [String]
  /// The link, or nil when none of the keys holds one.
  public let link: Link?

  /// Reads the options of an application that supports `supported`.
  ///
  /// A notification's payload needs a `route` that is a text (N18). Of several links the notification's wins, then the
  /// first URL (N25), then an activity's web page.
  public init(_ options: ValueObject, supported: Set<Key> = Set(Key.allCases)) {
    var keys: [Key] = []
    var ignored: [String] = []
    for name in options.keys {
      if let key = Key(rawValue: name), supported.contains(key) { keys.append(key) } else { ignored.append(name) }
    }
    self.keys = keys
    self.ignored = ignored
    let order: [Key] = [
      .notificationResponse, .remoteNotification, .localNotification, .urlContexts, .url, .userActivities,
      .userActivityDictionary, .shortcutItem,
    ]
    link = order.lazy.filter(keys.contains).compactMap { Self.link(in: options[$0.rawValue] ?? .null, under: $0) }.first
  }

  private static func link(in value: Value, under key: Key) -> Link? {
    let object = value.objectValue
    switch key {
    case .remoteNotification: return notification(value, nil)
    case .localNotification: return notification(object?["userInfo"] ?? .null, nil)
    case .notificationResponse: return notification(object?["userInfo"] ?? .null, object?["identifier"]?.stringValue)
    case .url: return url(value)
    case .urlContexts: return url(value.arrayValue?.first.map { $0.objectValue?["url"] ?? $0 } ?? .null)
    case .userActivityDictionary: return url(object?["webpageURL"] ?? .null)
    case .userActivities: return url(value.arrayValue?.first?.objectValue?["webpageURL"] ?? .null)
    case .shortcutItem: return notification(object?["userInfo"] ?? .null, nil, from: .internal)
    default: return nil
    }
  }

  private static func notification(
    _ payload: Value, _ identifier: String?, from source: RouteSource = .notification
  ) -> Link? {
    guard let object = payload.objectValue, let route = object["route"]?.stringValue, !route.isEmpty else { return nil }
    return Link(
      url: route, parameters: object["parameters"]?.objectValue ?? [:], source: source, notificationID: identifier)
  }

  private static func url(_ value: Value) -> Link? {
    guard let url = value.stringValue, !url.isEmpty else { return nil }
    let source: RouteSource = url.lowercased().hasPrefix("https:") ? .universalLink : .urlScheme
    return Link(url: url, parameters: [:], source: source, notificationID: nil)
  }
}
