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
    /// What came with it.
    public let parameters: ValueObject
    /// Where it came from.
    public let source: RouteSource
    /// The notification's identifier, which only a scene's options have.
    public let notificationID: String?
  }

  /// What a notification among the options stands for.
  public enum Arrival: String, Sendable, Hashable {
    /// A person tapped it.
    case tap
    /// It arrived and was not tapped: it opens nothing (ruling C3).
    case receipt
  }

  /// The keys that are there, understood and supported.
  public let keys: [Key]
  /// The keys that are ignored: unknown, or of a feature the application does not have (R14).
  public let ignored: [String]
  /// The link, or nil when none of the keys holds one.
  public let link: Link?
  /// Whether the notification among the options was tapped; nil when there is none.
  public let arrival: Arrival?
  /// What is odd about the notification, in sentences (N18, N19).
  public let warnings: [String]

  /// Reads the options of an application that supports `supported` and was launched for `reason`.
  ///
  /// A notification's payload needs a `route` that is a text (N18). Of several links the notification's wins, then the
  /// first URL (N25), then an activity's web page.
  public init(_ options: ValueObject, for reason: LaunchReason, supported: Set<Key> = Set(Key.allCases)) {
    var keys: [Key] = []
    var ignored: [String] = []
    for name in options.keys {
      if let key = Key(rawValue: name), supported.contains(key) { keys.append(key) } else { ignored.append(name) }
    }
    self.keys = keys
    self.ignored = ignored
    let notifications = [Key.notificationResponse, .remoteNotification, .localNotification].filter(keys.contains)
      .map { NotificationOption(options[$0.rawValue] ?? .null, under: $0, for: reason) }
    arrival = notifications.contains { $0.isTap } ? .tap : notifications.isEmpty ? nil : .receipt
    let tapped = notifications.filter(\.isTap).map(\.link)
    let chosen = tapped.first { $0.link != nil } ?? tapped.first
    warnings = chosen?.warnings ?? []
    link =
      chosen?.link
      ?? [.urlContexts, .url, .userActivities, .userActivityDictionary, .shortcutItem].lazy.filter(keys.contains)
      .compactMap { Self.link(in: options[$0.rawValue] ?? .null, under: $0) }.first
  }

  private static func link(in value: Value, under key: Key) -> Link? {
    let object = value.objectValue
    switch key {
    case .url: return url(value)
    case .urlContexts: return url(value.arrayValue?.first.map { $0.objectValue?["url"] ?? $0 } ?? .null)
    case .userActivityDictionary:
      // The activity itself is next to its type, under UIKit's own name for it.
      let activity = object?["UIApplicationLaunchOptionsUserActivityKey"]?.objectValue ?? object
      return url(activity?["webpageURL"] ?? .null)
    case .userActivities: return url(value.arrayValue?.first?.objectValue?["webpageURL"] ?? .null)
    case .shortcutItem: return PayloadLink(object?["userInfo"], nil, from: .internal).link
    default: return nil
    }
  }

  private static func url(_ value: Value) -> Link? {
    guard let url = value.stringValue, !url.isEmpty else { return nil }
    let source: RouteSource = url.lowercased().hasPrefix("https:") ? .universalLink : .urlScheme
    return Link(url: url, parameters: [:], source: source, notificationID: nil)
  }
}

/// A notification as the options hold it.
private struct NotificationOption {
  let isTap: Bool
  let link: PayloadLink

  init(_ value: Value, under key: LaunchOptions.Key, for reason: LaunchReason) {
    let object = value.objectValue
    let payload: Value?
    var identifier: String?
    var isTap: Bool
    switch key {
    case .notificationResponse:
      // UIKit nests it: response, notification, request, content. What is tapped away is not a tap.
      let request = object?["notification"]?.objectValue?["request"]?.objectValue
      payload = request?["content"]?.objectValue?["userInfo"] ?? object?["userInfo"]
      identifier = (request?["identifier"] ?? object?["identifier"])?.stringValue
      isTap = object?["actionIdentifier"]?.stringValue != "com.apple.UNNotificationDismissActionIdentifier"
      isTap = isTap && reason != .background && reason != .location
    case .localNotification:
      payload = object?["userInfo"]
      isTap = reason == .notification
    default:
      payload = value
      isTap = reason == .notification
    }
    // A silent push shows nothing that could be tapped.
    let aps = payload?.objectValue?["aps"]?.objectValue
    if aps?["content-available"]?.integerValue == 1, aps?["alert"] == nil { isTap = false }
    self.isTap = isTap
    link = PayloadLink(payload, identifier, from: .notification)
  }
}

/// The link in a payload, and what is odd about it.
private struct PayloadLink {
  private(set) var link: LaunchOptions.Link?
  private(set) var warnings: [String] = []

  init(_ payload: Value?, _ identifier: String?, from source: RouteSource) {
    let object = payload?.objectValue
    guard let route = object?["route"] else {
      warnings = ["no-route: the payload has no 'route', so a tap opens nothing; send the complete route"]
      return
    }
    guard let url = route.stringValue, !url.isEmpty else {
      warnings = ["no-route: the payload's 'route' is \(route.stringValue == nil ? "not a text" : "empty")"]
      return
    }
    let parameters = object?["parameters"]
    if let parameters, parameters.objectValue == nil {
      warnings = ["the payload's 'parameters' are not an object and are left out"]
    }
    link = LaunchOptions.Link(
      url: url, parameters: parameters?.objectValue ?? [:], source: source, notificationID: identifier)
  }
}
