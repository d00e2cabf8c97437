import FlowModel
import FlowPluginKit
import SyncDevice
import SyncEngine

/// Reports the state of synchronization (S38).
struct Status: AsyncAction {
  static let name = "sync.status"
  static let summary = "Returns the state of synchronization: outbox, channel, budget, conflicts"
  static let requires: [HandleKey] = [.syncConnection]

  struct Output: ActionOutput {
    var outbox: Int
    var parked: Int
    var channel: String
    var level: String
    var status: ValueObject

    static let summaries = [
      "outbox": "Changes waiting to be sent", "parked": "Changes that were parked",
      "channel": "up or down", "level": "normal, reduced or queue-only",
      "status": "The whole status, as flowrun sync status --json prints it",
    ]
  }

  nonisolated(nonsending) func run(_ input: NoInput, in context: ActionContext) async throws -> Output {
    let connection: Connection = try context.handle(.syncConnection)
    let status = await connection.session.status()
    let replica = await connection.session.machine.replica
    let now = SystemClock().nowMilliseconds()
    return Output(
      outbox: status.outboxDepth, parked: status.parked.count, channel: status.isChannelUp ? "up" : "down",
      level: status.level.word, status: status.value(of: replica, nowMilliseconds: now))
  }
}
