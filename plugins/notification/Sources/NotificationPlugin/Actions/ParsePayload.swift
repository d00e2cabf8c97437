import FlowModel
import FlowPluginKit

/// Reads the payload of a notification (N18, N19, N31, N35).
struct ParsePayload: Action, DetailedAction {
  static let name = "notification.parse"
  static let summary = "Reads a notification's payload"
  static let errors = [
    ErrorDeclaration("payload-too-large", "The payload has more bytes than the system delivers", isRetryable: false),
    ErrorDeclaration(
      "payload-malformed", "The payload is not a JSON object; the message says where", isRetryable: false),
  ]
  static let example = """
    uses: notification.parse
    with: { payload: "${{ inputs.payload }}" }
    """

  /// The kinds of payloads, which have different size limits.
  enum PayloadKind: String, FieldWord {
    case standard, voip

    var limit: NotificationPayload.Limit { self == .voip ? .voip : .standard }
  }

  struct Input: ActionInput {
    @Field(
      """
      The payload, as JSON text or as an object; or the response of a person, as {notification: {request: {content: \
      {title, body, userInfo}}}, actionIdentifier, userText}
      """, isSecret: true) var payload: Value
    @Field("Which limit applies: standard 4096 bytes, voip 5120") var kind: PayloadKind = .standard
  }

  struct Output: ActionOutput {
    var title: String
    var body: String
    var badge: Int?
    var sound: String?
    var category: String?
    var silent: Bool
    var route: String?
    var parameters: ValueObject
    var action: String?
    var reply: String?
    var warnings: [String]

    static let summaries = [
      "title": "The alert's title", "body": "The alert's text", "badge": "The number for the icon",
      "sound": "The sound's name", "category": "The category", "silent": "Whether there is nothing to show",
      "route": "The link a tap opens; null when there is none, or when the person chose another action",
      "action": "default, dismiss or the identifier of the button, if the payload is a response",
      "reply": "The text that the person replied with",
      "parameters": "The parameters of the page besides the link",
      "warnings": "The warnings about the payload",
    ]
    static let withheld: Set<String> = ["route", "parameters", "reply"]
  }

  static func check(_ input: LiteralInput) -> [InputProblem] {
    guard let payload = input["payload"] else { return [] }
    let kind = input["kind"].flatMap(PayloadKind.init) ?? .standard
    do throws(NotificationPayload.PayloadProblem) {
      return try NotificationResponse(payload, limit: kind.limit).warnings.map {
        InputProblem("payload", $0, isWarning: true)
      }
    } catch {
      return [InputProblem("payload", error.message)]
    }
  }

  func run(_ input: Input, in context: ActionContext) throws -> Output {
    let response: NotificationResponse
    do throws(NotificationPayload.PayloadProblem) {
      response = try NotificationResponse(input.payload, limit: input.kind.limit)
    } catch {
      throw ActionError(error.code, error.message, isRetryable: false)
    }
    let payload = response.payload
    if context.holdsSecret(input.payload) {
      let texts = LinkTexts.all(in: [.object(payload.parameters)])
      context.withholdOutputs(hiding: texts + [payload.route, response.reply].compactMap(\.self))
    }
    context.log("notification received: '\(payload.title)'")
    for warning in response.warnings { context.log(warning, level: .warning) }
    return Output(
      title: payload.title, body: payload.body, badge: payload.badge, sound: payload.sound, category: payload.category,
      silent: payload.isSilent, route: response.opensPage ? payload.route : nil, parameters: payload.parameters,
      action: response.action, reply: response.reply, warnings: response.warnings)
  }
}
