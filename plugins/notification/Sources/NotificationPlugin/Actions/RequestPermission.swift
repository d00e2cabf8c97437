import FlowModel
import FlowPluginKit

/// Asks for permission to show notifications. If the person denies it, the step still succeeds (N14).
struct RequestPermission: AsyncAction {
  static let name = "notification.request-permission"
  static let summary = "Asks for permission to show notifications"
  static let errors = [
    ErrorDeclaration("permission-unavailable", "The system could not ask", isRetryable: true)
  ]
  static let example = """
    uses: notification.request-permission
    needs: register-routes
    """

  /// The person's answer that a headless center simulates.
  enum Answer: String, FieldWord {
    case granted, denied
  }

  struct Input: ActionInput {
    @Field("The permissions to ask for") var options: [NotificationOption] = [.alert, .sound, .badge]
    @Field("The answer where the system cannot ask; a device asks") var answer: Answer = .granted
  }

  struct Output: ActionOutput {
    var granted: Bool
    var status: String

    static let summaries = ["granted": "Whether it was granted", "status": "granted or denied"]
  }

  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> Output {
    let center = try context.notificationCenter()
    if let headless = center as? HeadlessNotificationCenter { headless.answer(isGranted: input.answer == .granted) }
    let isGranted: Bool
    do {
      isGranted = try await center.requestAuthorization(input.options)
    } catch {
      throw ActionError("permission-unavailable", "the system could not ask for permission: \(error)")
    }
    try NotificationPermission.keep(isGranted, in: context)
    let list = input.options.map(\.rawValue).joined(separator: ", ")
    context.log(
      isGranted ? "permission granted for \(list)" : "permission denied for \(list); continuing without notifications",
      level: isGranted ? .info : .warning)
    return Output(granted: isGranted, status: (isGranted ? Answer.granted : .denied).rawValue)
  }
}
