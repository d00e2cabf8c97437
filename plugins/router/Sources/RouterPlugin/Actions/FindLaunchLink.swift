import FlowDiagnostics
import FlowModel
import FlowPluginKit
import RouterCore

/// Finds the link that launched the application in its launch options (N16, N17, N25, R12, R14).
struct FindLaunchLink: Action, DetailedAction {
  static let name = "router.launch-link"
  static let summary = "Finds the link that launched the application among the launch options"
  static let errors = [
    ErrorDeclaration("option-unknown", "An entry of 'supports' is not the key of a launch option", isRetryable: false)
  ]
  static let example = """
    uses: router.launch-link
    needs: register-routes
    after: app.did-finish-launching
    """

  struct Input: ActionInput {
    @Field(
      """
      The launch options; without them, those of this launch. Read are url; remoteNotification (a payload); \
      localNotification {userInfo}; notificationResponse {notification: {request: {identifier, content: {userInfo}}}, \
      actionIdentifier, userText} or {identifier, userInfo}; urlContexts [{url}]; userActivities [{webpageURL}]; \
      userActivityDictionary {UIApplicationLaunchOptionsUserActivityKey: {webpageURL}}; shortcutItem {userInfo}. \
      A userInfo is a payload: {route, parameters}
      """, isSecret: true) var options: ValueObject?
    @Field("The keys of features that the application has; without it, all that are known") var supports: [String]?
  }

  struct Output: ActionOutput {
    var url: String?
    var parameters: ValueObject
    var source: String?
    var notificationId: String?
    var arrival: String?
    var action: String?
    var reply: String?
    var keys: [String]
    var ignored: [String]

    static let summaries = [
      "url": "The link; null when the launch has none", "parameters": "The parameters besides the link",
      "source": "Where it came from, as router.hold takes it", "notification-id": "The notification's identifier",
      "arrival":
        "tap, action for one of its buttons, or receipt for a notification that arrived and was not tapped; null without a "
        + "notification",
      "action": "default, dismiss, or the identifier of the button; null without a notification",
      "reply": "The text that the person replied with", "keys": "The keys that were understood",
      "ignored": "The keys that were not, or are not supported, and the values that were not taken, with the reason",
    ]
    static let withheld: Set<String> = ["url", "parameters", "reply"]
  }

  static func check(_ input: LiteralInput) -> [InputProblem] {
    let names = LaunchOptions.Key.allCases.map(\.rawValue)
    return (input["supports"]?.arrayValue ?? []).enumerated().compactMap { index, value in
      guard let name = value.stringValue, !names.contains(name) else { return nil }
      let correction = Correction(name, among: names)
      return InputProblem(
        "supports[\(index)]", "'\(name)' is not a launch option",
        help: correction?.question ?? "the options are \(names.joined(separator: ", "))", correction: correction)
    }
  }

  private static func key(_ name: String) throws -> LaunchOptions.Key {
    if let key = LaunchOptions.Key(rawValue: name) { return key }
    let names = LaunchOptions.Key.allCases.map(\.rawValue)
    throw ActionError(
      "option-unknown", "'\(name)' is not a launch option; the options are \(names.joined(separator: ", "))",
      isRetryable: false)
  }

  func run(_ input: Input, in context: ActionContext) throws -> Output {
    let supported = try input.supports.map { Set(try $0.map(Self.key)) } ?? Set(LaunchOptions.Key.allCases)
    let router: Router? = try? context.handle(Router.key)
    let given = input.options ?? context.launch.options
    let options =
      if let table = router?.table {
        LaunchOptions(given, for: context.launch.reason, supported: supported) { table.accepts($0, action: $1) }
      } else {
        LaunchOptions(given, for: context.launch.reason, supported: supported)
      }
    // The system's launch options are always secret. Options from an input are secret if they contain a secret of the
    // run.
    let isSecret = input.options == nil || context.holdsSecret(.object(given))
    if isSecret { withhold(options, router, context) }
    if router == nil, options.link != nil {
      context.log("no step before this one uses router.register: the first link is taken unchecked", level: .warning)
    }
    for reason in options.leftOut { context.log("not opened: \(reason)") }
    for name in options.ignored {
      context.log("the launch option '\(name)' is not supported and is ignored", level: .warning)
    }
    if !Set(options.ignored).isDisjoint(with: ["aps", "route"]), options.arrival == nil {
      context.log(
        "this looks like a notification's payload: among launch options it belongs under 'remoteNotification'",
        level: .warning)
    }
    for warning in options.warnings { context.log(warning, level: .warning) }
    switch options.arrival {
    case .tap?: context.log("notification received and tapped")
    case .action?: context.log("notification received and answered by the action '\(options.action ?? "")'")
    case .receipt?: context.log("notification received; it was not tapped, so it opens nothing")
    case nil: break
    }
    if let link = options.link {
      let url = isSecret ? "***" : router?.table.forLog(link.url) ?? Redaction.forLog(link.url)
      context.log("launched by the link \(url)")
    }
    return Output(
      url: options.link?.url, parameters: options.link?.parameters ?? [:], source: options.link?.source.rawValue,
      notificationId: options.link?.notificationID, arrival: options.arrival?.rawValue,
      action: options.action, reply: options.reply, keys: options.keys.map(\.rawValue),
      ignored: options.ignored + options.leftOut)
  }

  private func withhold(_ options: LaunchOptions, _ router: Router?, _ context: ActionContext) {
    var texts = LinkTexts.all(in: [.object(options.link?.parameters ?? [:])]) { router?.isOwnWord($0) ?? false }
    texts += [options.link?.url, options.reply].compactMap(\.self)
    context.withholdOutputs(hiding: texts)
  }
}
