import FlowModel
import FlowPluginKit
import SyncDevice

/// Deletes a record.
struct Delete: AsyncAction {
  static let name = "sync.delete"
  static let summary = "Deletes a record; what another device did to it meanwhile is decided by the schema"
  static let requires: [HandleKey] = [.syncConnection]
  static let errors = RecordFailures.writing
  static let example = """
    uses: sync.delete
    with: { collection: notes, key: shopping }
    """

  struct Input: ActionInput {
    @Field("The collection, as the schema names it") var collection: String
    @Field("The record's key") var key: String
    @Field("Wait until the server has it; otherwise saving it here is enough") var wait = true
    @Field("How long to wait") var timeout: Duration = .seconds(10)
  }

  struct Output: ActionOutput {
    var deleted: Bool
    var acknowledged: Bool

    static let summaries = [
      "deleted": "Whether there was a record", "acknowledged": "Whether the server has the deletion",
    ]
  }

  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> Output {
    let connection: Connection = try context.handle(.syncConnection)
    do {
      let records = connection.records
      let collection = try records.requireShown(input.collection)
      let found = try await records.delete(collection, try RecordFailures.key(input.key))
      var acts: [Int64] = []
      if let (key, action) = found { acts = try await connection.session.act(key, action) }
      if input.wait { try await connection.settle(acts, timeout: input.timeout) }
      return Output(deleted: found != nil, acknowledged: await connection.isAcknowledged(acts))
    } catch {
      throw Failure.error(error)
    }
  }
}
