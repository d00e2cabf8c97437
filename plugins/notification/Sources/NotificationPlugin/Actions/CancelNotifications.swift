import FlowModel
import FlowPluginKit

/// Cancels scheduled notifications, for example the alarm of a timer that has been paused.
struct CancelNotifications: Action {
  static let name = "notification.cancel"
  static let summary = "Takes back scheduled notifications that have not been delivered"
  static let example = """
    uses: notification.cancel
    with: { id: timer }
    """

  struct Input: ActionInput {
    @Field("The identifier; without it, all") var id: String?
  }

  struct Output: ActionOutput {
    var cancelled: [String]

    static let summaries = ["cancelled": "The identifiers of those that were pending, if the data folder keeps them"]
  }

  func run(_ input: Input, in context: ActionContext) throws -> Output {
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
