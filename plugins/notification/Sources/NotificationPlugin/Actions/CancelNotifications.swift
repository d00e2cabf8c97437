import FlowModel
import FlowPluginKit

/// Cancels scheduled notifications, for example the alarm of a timer that has been paused.
struct CancelNotifications: Action, DetailedAction {
  static let name = "notification.cancel"
  static let summary = "Takes back scheduled notifications that have not been delivered"
  static let errors = [
    ErrorDeclaration("cancel-invalid", "The identifier is empty; nothing was cancelled", isRetryable: false)
  ]
  static let example = """
    uses: notification.cancel
    with: { id: timer }
    """

  struct Input: ActionInput {
    @Field(refusingNull: "The identifier, which is neither null nor empty; if the key is left out, all")
    var id: String?
  }

  struct Output: ActionOutput {
    var cancelled: [String]

    static let summaries = ["cancelled": "The identifiers of those that were pending, if the data folder keeps them"]
  }

  static func check(_ input: LiteralInput) -> [InputProblem] {
    guard input["id"]?.stringValue?.isEmpty == true else { return [] }
    return [InputProblem("id", problem, help: help)]
  }

  private static let problem = "the identifier is empty"
  private static let help = "to cancel all notifications, leave 'id' out"

  func run(_ input: Input, in context: ActionContext) throws -> Output {
    if input.id?.isEmpty == true {
      throw ActionError(
        "cancel-invalid", "\(Self.problem), and nothing was cancelled; \(Self.help)", isRetryable: false)
    }
    let center = try context.notificationCenter()
    let scheduled = ScheduledNotifications(dataFolder: context.run.dataFolder)
    let pending = scheduled.waiting().entries.map(\.id)
    let ids = input.id.map { id in pending.filter { $0 == id } } ?? pending
    center.removePending(input.id.map { [$0] })
    let expected = try context.expectedNotifications()
    for id in ids + (input.id.map { [$0] } ?? []) {
      scheduled.remove(id)
      expected.cancel(id)
    }
    context.log(ids.isEmpty ? "no notification was pending" : "cancelled \(ids.joined(separator: ", "))")
    return Output(cancelled: ids)
  }
}
