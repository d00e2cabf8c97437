import FlowModel
import FlowPluginKit
import struct SyncCore.RecordKey
import SyncDevice
import SyncEngine
import SyncRecords

/// Writes and deletes several records together. Every device shows either all of these changes or none.
struct Transaction: AsyncAction {
  static let name = "sync.transaction"
  static let summary = "Writes and deletes several records, all or none, on every device"
  static let requires: [HandleKey] = [.syncConnection]
  static let errors = RecordFailures.writing
  static let example = """
    uses: sync.transaction
    with:
      writes:
        - { collection: folders, key: home, fields: { name: Home } }
        - { collection: notes, key: shopping, fields: { folder: home } }
        - { collection: notes, key: old, delete: true }
    """

  struct Input: ActionInput {
    @Field(
      "At most 200 writes, each { collection, key, fields } with 'replace' as in sync.put, or { collection, key, delete: true }"
    )
    var writes: [ValueObject]
    @Field("Wait until the server has it; otherwise saving it here is enough") var wait = true
    @Field("How long to wait") var timeout: Duration = .seconds(10)
  }

  struct Output: ActionOutput {
    var keys: [String]
    var acknowledged: Bool

    static let summaries = [
      "keys": "The records' keys, in the order of the writes", "acknowledged": "Whether the server has it",
    ]
  }

  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> Output {
    let connection: Connection = try context.handle(.syncConnection)
    do {
      let records = connection.records
      var actions: [(key: RecordKey, action: SyncMachine.Action)] = []
      var keys: [String] = []
      for (index, write) in input.writes.enumerated() {
        do {
          let (key, action) = try await self.action(write, records)
          keys.append(key)
          if let action { actions.append(action) }
        } catch {
          let problem = Failure.error(error)
          guard let problem = problem as? ActionError else { throw problem }
          throw ActionError(problem.code, "writes[\(index)]: \(problem.message)")
        }
      }
      let acts = actions.isEmpty ? [] : try await connection.session.act(actions)
      if input.wait { try await connection.settle(acts, timeout: input.timeout) }
      return Output(keys: keys, acknowledged: await connection.isAcknowledged(acts))
    } catch {
      throw Failure.error(error)
    }
  }

  private func action(
    _ write: ValueObject, _ records: RecordStore
  ) async throws -> (String, (key: RecordKey, action: SyncMachine.Action)?) {
    for name in write.keys {
      if let problem = RecordInput.problem(withMember: name) { throw problem }
    }
    guard let name = write["collection"]?.stringValue else {
      throw ActionError(Failure.record.code, "it names no collection")
    }
    let collection = try records.require(name)
    let key = try RecordFailures.key(write["key"]?.stringValue)
    if write["delete"] == true { return (key, try await records.delete(try records.requireShown(name), key)) }
    let fields = write["fields"]?.objectValue ?? ValueObject()
    return (key, try await records.put(collection, key, fields, replaces: write["replace"] == true))
  }
}
