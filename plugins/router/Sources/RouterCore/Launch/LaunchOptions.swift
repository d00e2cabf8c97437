import FlowModel

/// The launch options of an application, or a scene's connection options, and the link that they contain (R12, R15,
/// R17).
public struct LaunchOptions: Sendable, Hashable {
  /// A supported key of launch or connection options. The raw value is the key's name without its UIKit prefix.
  public enum Key: String, Sendable, Hashable, CaseIterable {
    // Keys of an application's launch options.
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
    // Keys of a scene's connection options.
    case notificationResponse
    case urlContexts
    case userActivities
    case handoffUserActivityType
  }

  /// A link that launched the application.
  public struct Link: Sendable, Hashable {
    /// The URL to open, unchecked.
    public let url: String
    /// The parameters that came with the link, such as a notification's `parameters`.
    public let parameters: ValueObject
    /// The kind of sender, which decides the routes that the link may open.
    public let source: RouteSource
    /// The identifier of the tapped notification. Nil for other links, for notifications in launch options, and if the
    /// response contains no identifier.
    public let notificationID: String?

    /// Creates a link from the values found under a key.
    package init(url: String, parameters: ValueObject, source: RouteSource, notificationID: String?) {
      self.url = url
      self.parameters = parameters
      self.source = source
      self.notificationID = notificationID
    }
  }

  /// The person's response to a notification among the options.
  public enum Arrival: String, Sendable, Hashable {
    /// The person tapped the notification itself.
    case tap
    /// The person chose one of the notification's buttons.
    case action
    /// Anything else, for example the notification only arrived or the person dismissed it. It opens nothing (ruling
    /// C3).
    case receipt
  }

  /// The keys that are supported and have a value other than null.
  public let keys: [Key]
  /// The names of keys that are unknown or belong to a feature that the application does not have (R14).
  public let ignored: [String]
  /// Possible links that were not used and parts of notifications with an unknown form, each with its key and the
  /// reason.
  public let leftOut: [String]
  /// The link to open, or nil if no key contains one.
  public let link: Link?
  /// The response to the notification, or nil if the options contain no notification.
  public let arrival: Arrival?
  /// `default`, `dismiss` or the identifier of the chosen button. Nil if the options contain neither a response nor a
  /// tapped notification, or if the response has an unknown form.
  public let action: String?
  /// The text typed as a reply to the notification, or nil if there is none.
  public let reply: String?
  /// Warnings about the payload of the tapped notification (N18, N19), one sentence each. Empty if none was tapped.
  public let warnings: [String]

  /// Reads the launch options of an application. `supported` contains the keys of the features that the application
  /// has.
  ///
  /// A notification's payload must contain a `route` string (N18). If there are several links, the first one that
  /// `accepts` approves is used. Links of notifications come first, then URLs (N25), then web pages of activities. If
  /// none is approved, the first one that does not belong to a notification's button is used, so that the caller can
  /// report why it opens nothing.
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
    } else if notifications.contains(where: \.isButton) {
      arrival = .action
    } else {
      arrival = notifications.isEmpty ? nil : .receipt
    }
    action = notifications.first { $0.key == .notificationResponse }?.action ?? answered?.action
    reply = notifications.lazy.compactMap(\.reply).first
    let tapped = notifications.filter { $0.isAnswered && $0.action == NotificationAnswer.open }.map(\.payload)
    warnings = (tapped.first { $0.link != nil } ?? tapped.first)?.warnings ?? []
    var candidates = notifications.filter(\.isAnswered).map { notification in
      LinkCandidate(
        place: notification.key.rawValue, link: notification.payload.link,
        action: notification.action ?? NotificationAnswer.open)
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
    let unopened = notifications.flatMap { notification -> [String] in
      guard notification.problems.isEmpty else { return notification.problems }
      guard let reason = notification.unopened, let link = notification.payload.link, link.url != taken?.url else {
        return []
      }
      return ["\(notification.key.rawValue): \(reason)"]
    }
    leftOut =
      unopened
      + candidates.indices.compactMap { index in
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

/// A value in the options that may contain the link.
private struct LinkCandidate {
  /// The location of the value, such as `urlContexts[1]`.
  var place: String
  var link: LaunchOptions.Link?
  var action = NotificationAnswer.open
  /// The reason why the value contains no link, for a key that normally has one.
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
      // Launch options store an activity in a dictionary, next to its type.
      let activity = object?["UIApplicationLaunchOptionsUserActivityKey"]?.objectValue ?? object
      return [LinkCandidate(place: name, link: url(activity?["webpageURL"] ?? .null), problem: "it has no web page")]
    case .userActivities:
      return (value.arrayValue ?? []).enumerated().map { index, activity in
        LinkCandidate(
          place: "\(name)[\(index)]", link: url(activity.objectValue?["webpageURL"] ?? .null),
          problem: "it has no web page")
      }
    case .shortcutItem:
      // A quick action needs no link.
      let userInfo = object?["userInfo"]
      let route = userInfo?.objectValue?["route"]
      let problem = object == nil ? "it is not an object" : route == nil ? nil : "its 'route' is not a text"
      return [LinkCandidate(place: name, link: PayloadLink(userInfo, nil, .internal).link, problem: problem)]
    default: return []
    }
  }

  private static func url(_ value: Value) -> LaunchOptions.Link? {
    guard let url = value.stringValue, !url.isEmpty else { return nil }
    let source: RouteSource = url.lowercased().hasPrefix("https:") ? .universalLink : .urlScheme
    return LaunchOptions.Link(url: url, parameters: [:], source: source, notificationID: nil)
  }
}

/// A notification in the launch options.
private struct NotificationOption {
  let key: LaunchOptions.Key
  /// The reason why the notification's link is not opened, or nil if it may be opened.
  let unopened: String?
  /// True if a person chose one of the notification's buttons, which may launch the app in the background.
  var isButton: Bool { action.map { $0 != NotificationAnswer.open && $0 != NotificationAnswer.dismiss } ?? false }
  var isAnswered: Bool { unopened == nil }
  /// `default`, `dismiss` or the identifier of a button, or nil if the response has an unknown form.
  let action: String?
  let reply: String?
  let payload: PayloadLink
  /// The parts that have an unknown form, each with its location.
  let problems: [String]

  init(_ value: Value, under key: LaunchOptions.Key, for reason: LaunchReason) {
    self.key = key
    let object = value.objectValue
    let payload: Value?
    var identifier: String?
    var unopened = reason == .notification ? nil : "it was not tapped"
    var action: String? = NotificationAnswer.open
    var problems: [String] = []
    switch key {
    case .notificationResponse:
      // UIKit nests these values as response, notification, request and content. A dismissal is not a tap.
      let request = object?["notification"]?.objectValue?["request"]?.objectValue
      payload = request?["content"]?.objectValue?["userInfo"] ?? object?["userInfo"]
      identifier = (request?["identifier"] ?? object?["identifier"])?.stringValue
      action = NotificationAnswer.word(in: object ?? [:])
      let texts = [
        ("actionIdentifier", object?["actionIdentifier"]), ("userText", object?["userText"]),
        ("identifier", request?["identifier"] ?? object?["identifier"]),
      ]
      for (name, text) in texts where text.map({ !$0.isNull && $0.stringValue == nil }) ?? false {
        problems.append("\(key.rawValue): its '\(name)' is not a text")
      }
      let isInBackground = reason == .background || reason == .location
      unopened = isInBackground ? "the launch is in the background" : nil
      if action == nil { unopened = "its action is unknown" }
      if action == NotificationAnswer.dismiss { unopened = "it was dismissed" }
    case .localNotification: payload = object?["userInfo"]
    default: payload = value
    }
    if object == nil {
      problems = ["\(key.rawValue): it is not an object"]
      unopened = "it is not an object"
      action = nil
    }
    // A silent push notification shows nothing that a person could tap.
    if NotificationAnswer.isSilent(payload?.objectValue?["aps"]?.objectValue) { unopened = "it is silent" }
    self.unopened = unopened
    self.action = action
    self.problems = problems
    reply = key == .notificationResponse ? object?["userText"]?.stringValue : nil
    self.payload = PayloadLink(payload, identifier, .notification)
  }
}

/// The link in a payload, and warnings about the payload.
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
