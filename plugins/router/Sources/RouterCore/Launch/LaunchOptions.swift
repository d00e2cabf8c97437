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

    /// A link.
    package init(url: String, parameters: ValueObject, source: RouteSource, notificationID: String?) {
      self.url = url
      self.parameters = parameters
      self.source = source
      self.notificationID = notificationID
    }
  }

  /// What a notification among the options stands for.
  public enum Arrival: String, Sendable, Hashable {
    /// A person tapped it.
    case tap
    /// A person chose one of its buttons.
    case action
    /// It arrived, or was dismissed: it opens nothing (ruling C3).
    case receipt
  }

  /// The keys that are there, understood and supported.
  public let keys: [Key]
  /// The keys that are ignored: unknown, or of a feature the application does not have (R14).
  public let ignored: [String]
  /// The values that are not the link although they could be, each with the reason.
  public let leftOut: [String]
  /// The link, or nil when none of the keys holds one.
  public let link: Link?
  /// The notification among the options; nil if there is none.
  public let arrival: Arrival?
  /// `default`, `dismiss` or the identifier of the button that the person chose; nil without a notification.
  public let action: String?
  /// The text that the person replied with.
  public let reply: String?
  /// What is odd about the notification, in sentences (N18, N19).
  public let warnings: [String]

  /// Reads the options of an application that supports `supported` and was launched for `reason`.
  ///
  /// A notification's payload needs a `route` that is a text (N18). Of several links the first counts that `accepts`
  /// takes with the action of its notification: the notification's, then URLs (N25), then web pages of activities. If it
  /// takes none, the first link of a tap counts, so that the caller learns why it opens nothing.
  public init(
    _ options: ValueObject, for reason: LaunchReason, supported: Set<Key> = Set(Key.allCases),
    accepts: (Link, _ action: String) -> Bool = { _, action in action == "default" }
  ) {
    var keys: [Key] = []
    var ignored: [String] = []
    for (name, value) in options where !value.isNull {
      if let key = Key(rawValue: name), supported.contains(key) { keys.append(key) } else { ignored.append(name) }
    }
    self.keys = keys
    self.ignored = ignored
    let notifications = [Key.notificationResponse, .remoteNotification, .localNotification].filter(keys.contains)
      .map { NotificationOption(options[$0.rawValue] ?? .null, under: $0, for: reason) }
    let answered = notifications.first(where: \.isAnswered)
    if let answered {
      arrival = answered.action == NotificationAnswer.open ? .tap : .action
    } else {
      arrival = notifications.isEmpty ? nil : .receipt
    }
    action = notifications.first { $0.key == .notificationResponse }?.action ?? answered?.action
    reply = notifications.lazy.compactMap(\.reply).first
    let tapped = notifications.filter { $0.isAnswered && $0.action == NotificationAnswer.open }.map(\.payload)
    warnings = (tapped.first { $0.link != nil } ?? tapped.first)?.warnings ?? []
    var candidates = notifications.filter(\.isAnswered).map { notification in
      LinkCandidate(
        place: notification.key.rawValue, link: notification.payload.link, action: notification.action)
    }
    let linkKeys: [Key] = [.urlContexts, .url, .userActivities, .userActivityDictionary, .shortcutItem]
    for key in linkKeys where keys.contains(key) {
      candidates += LinkCandidate.all(in: options[key.rawValue] ?? .null, under: key)
    }
    let chosen =
      candidates.firstIndex { candidate in candidate.link.map { accepts($0, candidate.action) } ?? false }
      ?? candidates.firstIndex { $0.link != nil && $0.action == NotificationAnswer.open }
    let taken = chosen.flatMap { candidates[$0].link }
    link = taken
    leftOut = candidates.indices.compactMap { index in
      let candidate = candidates[index]
      guard let other = candidate.link else { return candidate.problem.map { "\(candidate.place): \($0)" } }
      guard index != chosen, other.url != taken?.url else { return nil }
      if candidate.action != NotificationAnswer.open, !accepts(other, candidate.action) {
        return "\(candidate.place): the action '\(candidate.action)' opens no page"
      }
      guard let chosen, index > chosen else { return "\(candidate.place): no route takes it" }
      return "\(candidate.place): \(candidates[chosen].place) comes first"
    }
  }
}

/// A value among the options that may be the link.
private struct LinkCandidate {
  /// Its place, such as `urlContexts[1]`.
  var place: String
  var link: LaunchOptions.Link?
  var action = NotificationAnswer.open
  /// Why there is no link, for values that should have one.
  var problem: String?

  static func all(in value: Value, under key: LaunchOptions.Key) -> [LinkCandidate] {
    let object = value.objectValue
    let name = key.rawValue
    switch key {
    case .url: return [LinkCandidate(place: name, link: url(value), problem: "it is not a URL")]
    case .urlContexts where value.arrayValue == nil, .userActivities where value.arrayValue == nil:
      return [LinkCandidate(place: name, problem: "it is not a list")]
    case .urlContexts:
      return (value.arrayValue ?? []).enumerated().map { index, context in
        LinkCandidate(
          place: "\(name)[\(index)]", link: url(context.objectValue?["url"] ?? context), problem: "it has no URL")
      }
    case .userActivityDictionary:
      // The activity itself is next to its type, under UIKit's own name for it.
      let activity = object?["UIApplicationLaunchOptionsUserActivityKey"]?.objectValue ?? object
      return [LinkCandidate(place: name, link: url(activity?["webpageURL"] ?? .null), problem: "it has no web page")]
    case .userActivities:
      return (value.arrayValue ?? []).enumerated().map { index, activity in
        LinkCandidate(
          place: "\(name)[\(index)]", link: url(activity.objectValue?["webpageURL"] ?? .null),
          problem: "it has no web page")
      }
    case .shortcutItem: return [LinkCandidate(place: name, link: PayloadLink(object?["userInfo"], nil, .internal).link)]
    default: return []
    }
  }

  private static func url(_ value: Value) -> LaunchOptions.Link? {
    guard let url = value.stringValue, !url.isEmpty else { return nil }
    let source: RouteSource = url.lowercased().hasPrefix("https:") ? .universalLink : .urlScheme
    return LaunchOptions.Link(url: url, parameters: [:], source: source, notificationID: nil)
  }
}

/// A notification as the options hold it.
private struct NotificationOption {
  let key: LaunchOptions.Key
  /// Whether a person tapped it or chose one of its buttons.
  let isAnswered: Bool
  let action: String
  let reply: String?
  let payload: PayloadLink

  init(_ value: Value, under key: LaunchOptions.Key, for reason: LaunchReason) {
    self.key = key
    let object = value.objectValue
    let payload: Value?
    var identifier: String?
    var isAnswered: Bool
    var action = NotificationAnswer.open
    switch key {
    case .notificationResponse:
      // UIKit nests it: response, notification, request, content. What is tapped away is not a tap.
      let request = object?["notification"]?.objectValue?["request"]?.objectValue
      payload = request?["content"]?.objectValue?["userInfo"] ?? object?["userInfo"]
      identifier = (request?["identifier"] ?? object?["identifier"])?.stringValue
      action = NotificationAnswer.word(for: object?["actionIdentifier"]?.stringValue)
      isAnswered = action != NotificationAnswer.dismiss && reason != .background && reason != .location
    case .localNotification:
      payload = object?["userInfo"]
      isAnswered = reason == .notification
    default:
      payload = value
      isAnswered = reason == .notification
    }
    // A silent push shows nothing that could be tapped.
    let aps = payload?.objectValue?["aps"]?.objectValue
    if aps?["content-available"]?.integerValue == 1, aps?["alert"] == nil { isAnswered = false }
    self.isAnswered = isAnswered
    self.action = action
    reply = key == .notificationResponse ? object?["userText"]?.stringValue : nil
    self.payload = PayloadLink(payload, identifier, .notification)
  }
}

/// The link in a payload, and what is odd about it.
private struct PayloadLink {
  private(set) var link: LaunchOptions.Link?
  private(set) var warnings: [String] = []

  init(_ payload: Value?, _ identifier: String?, _ source: RouteSource) {
    let object = payload?.objectValue
    guard let route = object?["route"] else {
      warnings = ["no-route: the payload has no 'route', so a tap opens nothing; send the complete route"]
      return
    }
    guard let url = route.stringValue, !url.isEmpty else {
      warnings = ["no-route: the payload's 'route' is \(route.stringValue == nil ? "not a text" : "empty")"]
      return
    }
    let parameters = NotificationAnswer.parameters(object?["parameters"])
    if parameters == nil, object?["parameters"] != nil {
      warnings = ["the payload's 'parameters' are not an object and are left out"]
    }
    link = LaunchOptions.Link(url: url, parameters: parameters ?? [:], source: source, notificationID: identifier)
  }
}
