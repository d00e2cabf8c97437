import FlowModel
import FlowPluginKit
import SyncDevice

/// Writes fields of a record on this device and, by default, waits until other devices can see it.
struct Put: AsyncAction {
  static let name = "sync.put"
  static let summary = "Writes fields of a record and sends them to the other devices"
  static let requires: [HandleKey] = [.syncConnection]
  static let errors = RecordFailures.writing
  static let example = """
    uses: sync.put
    with: { collection: notes, key: shopping, fields: { title: Shopping, tags: { add: [home] } } }
    """

  struct Input: ActionInput {
    @Field("The collection, as the schema names it") var collection: String
    @Field("The record's key, 1 to 128 bytes; default: a new one") var key: String?
    @Field(
      "The fields: a value, for a counter { add: n }, for a set { add: […], remove: […] }, for a list { insert: [{ after: ID, value: … }], remove: [ID], move: { element: ID, after: ID } }"
    ) var fields: ValueObject
    @Field("Takes a plain value for a counter, a set or a list: what this device shows becomes that value")
    var replace = false
    @Field("Wait until the server has it; otherwise saving it here is enough") var wait = true
    @Field("How long to wait") var timeout: Duration = .seconds(10)
  }

  struct Output: ActionOutput {
    var key: String
    var acknowledged: Bool

    static let summaries = ["key": "The record's key", "acknowledged": "Whether the server has it"]
  }

  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> Output {
    let connection: Connection = try context.handle(.syncConnection)
    do {
      let records = connection.records
      let key = try RecordFailures.key(input.key)
      let (recordKey, action) = try await records.put(
        records.require(input.collection), key, input.fields, replaces: input.replace)
      let acts = try await connection.session.act(recordKey, action)
      if input.wait { try await connection.settle(acts, timeout: input.timeout) }
      return Output(key: key, acknowledged: await connection.isAcknowledged(acts))
    } catch {
      throw Failure.error(error)
    }
  }
}
