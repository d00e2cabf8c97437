import FlowModel

/// The contents of a notification: Apple's part under `aps`, and the keys of the application (N31).
///
/// ```json
/// {"aps": {"alert": {"title": "…", "body": "…"}, "badge": 1, "sound": "default"},
///  "route": "app://product/12345", "parameters": {"name": "…", "price": "7999"}}
/// ```
struct NotificationPayload: Sendable, Hashable {
  /// The kind of notification, on which the size limit depends.
  enum Limit: String, Sendable {
    case standard
    case voip

    /// The maximum size in bytes, as counted by the Apple Push Notification service.
    var bytes: Int { self == .voip ? 5_120 : 4_096 }
  }

  /// The reason why a payload cannot be read, as a stable code and a message.
  struct PayloadProblem: Error, Sendable, Hashable {
    let code: String
    let message: String
  }

  /// The maximum nesting depth that is accepted in a payload.
  static let depth = 32

  let title: String
  let body: String
  let badge: Int?
  let sound: String?
  let category: String?
  /// True if the notification wakes the application without showing a banner.
  let isSilent: Bool
  /// The link, or nil if there is none or it is invalid.
  let route: String?
  let parameters: ValueObject
  /// Warnings about an invalid route and about parameters that are not an object, one sentence each.
  let warnings: [String]

  /// Reads a payload from JSON text or from an object. Throws the problem with its location.
  ///
  /// `content` is the content that the system read from the payload, or that the app gave a local notification, which
  /// has no `aps`. Its values are used if the payload has none.
  init(_ payload: Value, limit: Limit = .standard, content: ValueObject = [:]) throws(PayloadProblem) {
    let object = try Self.object(of: payload, limit)
    let aps = object["aps"]?.objectValue ?? [:]
    let alert = aps["alert"]
    // A localized text is given as a key, which the app looks up. In the alert of a Live Activity, the key is in an
    // object.
    func text(_ name: String, orKey key: String) -> String? {
      let (text, localized) = (alert?.objectValue?[name], alert?.objectValue?[key])
      return text?.stringValue ?? text?.objectValue?["loc-key"]?.stringValue ?? localized?.stringValue
    }
    title = text("title", orKey: "title-loc-key") ?? content["title"]?.stringValue ?? ""
    body = text("body", orKey: "loc-key") ?? alert?.stringValue ?? content["body"]?.stringValue ?? ""
    badge = aps["badge"]?.integerValue ?? content["badge"]?.integerValue
    sound =
      aps["sound"]?.stringValue ?? aps["sound"]?.objectValue?["name"]?.stringValue ?? content["sound"]?.stringValue
    category = aps["category"]?.stringValue ?? content["categoryIdentifier"]?.stringValue
    isSilent = NotificationAnswer.isSilent(aps)
    var warnings: [String] = []
    route = Self.route(of: object, &warnings)
    parameters = Self.parameters(of: object, &warnings)
    self.warnings = warnings
  }

  private static func object(of payload: Value, _ limit: Limit) throws(PayloadProblem) -> ValueObject {
    var value = payload
    if case .string(let text) = payload {
      try check(text.utf8.count, limit)
      do throws(JSONProblem) {
        value = try JSONText.parse(text, rules: JSONText.Rules(depth: depth, bytes: limit.bytes))
      } catch {
        throw PayloadProblem(code: "payload-malformed", message: "the payload is not JSON: \(error)")
      }
    } else {
      try check(JSONText.bytes(of: payload).count, limit)
    }
    guard case .object(let object) = value else {
      throw PayloadProblem(
        code: "payload-malformed", message: "the payload is \(value.shortText), not an object such as {\"route\": …}")
    }
    return object
  }

  private static func check(_ count: Int, _ limit: Limit) throws(PayloadProblem) {
    guard count > limit.bytes else { return }
    throw PayloadProblem(
      code: "payload-too-large",
      message: "the payload has \(count) bytes; the system delivers at most \(limit.bytes)")
  }

  /// Returns the route if it is a non-empty string (N18). Otherwise returns nil and adds a warning.
  private static func route(of object: ValueObject, _ warnings: inout [String]) -> String? {
    switch object["route"] {
    case .string(let route)? where !route.isEmpty: return route
    case nil:
      warnings.append("no-route: the payload has no 'route', so a tap opens nothing; send the complete route")
    case .string?: warnings.append("no-route: the payload's 'route' is empty")
    case .some: warnings.append("no-route: the payload's 'route' is not a text")
    }
    return nil
  }

  /// Returns the parameters. A value that is not an object is ignored with a warning (N19).
  private static func parameters(of object: ValueObject, _ warnings: inout [String]) -> ValueObject {
    if let parameters = NotificationAnswer.parameters(object["parameters"]) { return parameters }
    if object["parameters"] != nil {
      warnings.append("the payload's 'parameters' are not an object and are left out")
    }
    return [:]
  }
}
