import FlowModel
import FlowPluginKit
import SyncDevice

/// Fetches changes made on other devices (S16, S17).
struct Pull: AsyncAction {
  static let name = "pomodoro.pull"
  static let summary = "Fetches the changes of other devices and returns the timer"
  static let requires: [HandleKey] = [.syncConnection]
  static let errors = [Failure.paused, Failure.timeout, Failure.none]

  struct Input: ActionInput {
    @Field("Fail with no-records-found if no timer has been set yet") var required = false
    @Field("How long to wait") var timeout: Duration = .seconds(10)
  }

  struct Output: ActionOutput {
    var found: Bool
    var timer: ValueObject?

    static let summaries = [
      "found": "Whether there is a timer", "timer": "The CD_TimerState record that counts, with its seven fields",
    ]
  }

  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> Output {
    let connection: Connection = try context.handle(.syncConnection)
    try await connection.pull(timeout: input.timeout)
    let timer = await connection.timer()
    if timer == nil, input.required {
      throw ActionError(Failure.none.code, "there is no timer in '\(connection.zone)' yet")
    }
    return Output(found: timer != nil, timer: timer?.value)
  }
}
