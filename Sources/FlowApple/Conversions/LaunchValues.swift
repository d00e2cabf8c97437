import FlowModel

/// Converts values that UIKit passes to an app to the form that `router.launch-link` and `router.receive` read.
public enum LaunchValues {
  /// Returns the value of a URL context of a scene.
  public static func urlContext(url: String, sourceApplication: String? = nil) -> Value {
    var context: ValueObject = ["url": .string(url)]
    if let sourceApplication { context["sourceApplication"] = .string(sourceApplication) }
    return .object(context)
  }

  /// Returns the value of a user activity: a web page that has opened the app, or an activity of the app itself.
  public static func userActivity(
    type: String, webpageURL: String?, userInfo: [AnyHashable: Any] = [:]
  ) -> Value {
    var activity: ValueObject = ["activityType": .string(type)]
    if let webpageURL { activity["webpageURL"] = .string(webpageURL) }
    if !userInfo.isEmpty { activity["userInfo"] = .object(ValueObject(userInfo: userInfo)) }
    return .object(activity)
  }

  /// Returns the value of a person's response to a notification, including the identifier of the action and the text of
  /// a reply.
  public static func notificationResponse(
    identifier: String, userInfo: [AnyHashable: Any], action: String, userText: String? = nil
  ) -> Value {
    var response: ValueObject = [
      "notification": [
        "request": [
          "identifier": .string(identifier), "content": ["userInfo": .object(ValueObject(userInfo: userInfo))],
        ]
      ], "actionIdentifier": .string(action),
    ]
    if let userText { response["userText"] = .string(userText) }
    return .object(response)
  }

  /// Returns the value of a quick action on the home screen.
  public static func shortcutItem(type: String, userInfo: [AnyHashable: Any] = [:]) -> Value {
    ["type": .string(type), "userInfo": .object(ValueObject(userInfo: userInfo))]
  }

  /// Returns the value of a scene's connection options. Empty parts are left out.
  public static func connectionOptions(
    urlContexts: [Value] = [], userActivities: [Value] = [], notificationResponse: Value? = nil,
    shortcutItem: Value? = nil, handoffUserActivityType: String? = nil, sourceApplication: String? = nil
  ) -> ValueObject {
    var options = ValueObject()
    options["notificationResponse"] = notificationResponse
    if !urlContexts.isEmpty { options["urlContexts"] = .array(urlContexts) }
    if !userActivities.isEmpty { options["userActivities"] = .array(userActivities) }
    options["shortcutItem"] = shortcutItem
    options["handoffUserActivityType"] = handoffUserActivityType.map(Value.string)
    options["sourceApplication"] = sourceApplication.map(Value.string)
    return options
  }

  /// Returns the value of an app's launch options, with names as returned by ``name(ofLaunchOption:)``.
  ///
  /// - Parameter convert: Returns the value of an object of a UIKit type, such as a user activity. An object that it
  ///   cannot convert becomes true, because its key is present.
  public static func launchOptions(
    _ options: [AnyHashable: Any], convert: (Any) -> Value? = { _ in nil }
  ) -> ValueObject {
    var result = ValueObject()
    let members = options.compactMap { key, object in text(of: key.base).map { ($0, object) } }
    for (key, object) in members.sorted(by: { $0.0 < $1.0 }) {
      result[name(ofLaunchOption: key)] = value(of: object, convert)
    }
    return result
  }

  /// Returns the name of a launch option without `UIApplicationLaunchOptions` and `Key`, such as `url` for
  /// `UIApplicationLaunchOptionsURLKey`. A name of another form is returned unchanged.
  public static func name(ofLaunchOption key: String) -> String {
    let (prefix, suffix) = ("UIApplicationLaunchOptions", "Key")
    guard key.hasPrefix(prefix), key.hasSuffix(suffix), key.count > prefix.count + suffix.count else { return key }
    let name = key.dropFirst(prefix.count).dropLast(suffix.count)
    if name == "URL" { return "url" }
    return name.prefix(1).lowercased() + name.dropFirst()
  }

  private static func text(of key: Any) -> String? {
    if let text = key as? String { return text }
    return (key as? any RawRepresentable<String>)?.rawValue
  }

  private static func value(of object: Any, _ convert: (Any) -> Value?) -> Value {
    // A literal nil returned by `convert` may have become a null value.
    if let value = convert(object), !value.isNull { return value }
    if let members = object as? [AnyHashable: Any] {
      var result = ValueObject()
      for (key, member) in members {
        if let name = text(of: key.base) { result[name] = value(of: member, convert) }
      }
      return .object(result)
    }
    return Value(foundation: object) ?? true
  }
}

extension Launch {
  /// Creates a launch from these options. In the background, the reason is a new position or other work. Otherwise, it
  /// is a notification that was not just dismissed, or a link. Without any of these, a person has opened the app.
  ///
  /// - Parameter isInBackground: True if the system launched the app without showing it.
  public init(values options: ValueObject, isInBackground: Bool = false) {
    self.init(reason: Self.reason(of: options, isInBackground: isInBackground), options: options)
  }

  private static func reason(of options: ValueObject, isInBackground: Bool) -> LaunchReason {
    if isInBackground {
      return options["location"].map { $0 != .boolean(false) && !$0.isNull } == true ? .location : .background
    }
    if let response = options["notificationResponse"]?.objectValue {
      let action = NotificationAnswer.word(in: response)
      if action != NotificationAnswer.dismiss { return .notification }
    }
    if options["remoteNotification"] != nil || options["localNotification"] != nil { return .notification }
    let activities =
      (options["userActivities"]?.arrayValue ?? [])
      + (options["userActivityDictionary"]?.objectValue?.members ?? []).map(\.value)
    let hasLink =
      options["url"] != nil || options["urlContexts"] != nil
      || activities.contains { $0.objectValue?["webpageURL"]?.stringValue != nil }
    return hasLink ? .url : .user
  }
}
