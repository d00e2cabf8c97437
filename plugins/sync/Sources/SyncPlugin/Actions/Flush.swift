import FlowModel
import FlowPluginKit
import SyncDevice

/// Waits until all changes made on this device have reached the server.
struct Flush: AsyncAction {
  static let name = "sync.flush"
  static let summary = "Waits until everything done on this device has been sent"
  static let requires: [HandleKey] = [.syncConnection]
  static let errors = [Failure.paused, Failure.parked, Failure.timeout]

  struct Input: ActionInput {
    @Field("How long to wait") var timeout: Duration = .seconds(10)
  }

  struct Output: ActionOutput {
    var acknowledged: Int
    static let summaries = ["acknowledged": "Changes acknowledged since the device was created"]
  }

  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> Output {
    let connection: Connection = try context.handle(.syncConnection)
    try await connection.flush(timeout: input.timeout)
    return Output(acknowledged: Int(await connection.session.status().statistics.acknowledged))
  }
}
