import FlowModel
import FlowPluginKit
import SyncDevice
import SyncEngine

/// Reads a record on this device, by default after fetching the latest changes.
struct Get: AsyncAction {
  static let name = "sync.get"
  static let summary = "Reads a record as it is on this device"
  static let requires: [HandleKey] = [.syncConnection]
  static let errors = RecordFailures.reading + [Failure.none]
  static let example = """
    uses: sync.get
    with: { collection: notes, key: shopping }
    """

  struct Input: ActionInput {
    @Field("The collection, as the schema names it") var collection: String
    @Field("The record's key") var key: String
    @Field("Fail with no-records-found when there is none") var required = false
    @Field("Give the value that runs down as it is now, not as it was written") var aged = false
    @Field("Fetch the changes of other devices first") var fetch = true
    @Field("How long to wait for that") var timeout: Duration = .seconds(10)
  }

  struct Output: ActionOutput {
    var found: Bool
    var record: ValueObject?
    var ids: ValueObject?
    var changed: Int?
    var by: String?
    var decided: Int?

    static let summaries = [
      "found": "Whether there is a record", "record": "Its fields",
      "ids": "The names of the elements of its lists, in order",
      "changed": "When it was last changed, in milliseconds since 1970", "by": "The device that did",
      "decided": "When its state was written, in milliseconds since 1970; only in a collection with 'decide'",
    ]
  }

  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> Output {
    let connection: Connection = try context.handle(.syncConnection)
    do {
      let records = connection.records
      let collection = try records.requireShown(input.collection)
      let key = try RecordFailures.key(input.key)
      if input.fetch { try await connection.pull(timeout: input.timeout) }
      guard let (shown, changed, by) = try await records.get(collection, key) else {
        if input.required {
          throw ActionError(Failure.none.code, "there is no record '\(key)' in '\(collection.name)'")
        }
        return Output(found: false)
      }
      var record = shown
      let machine = await connection.session.machine
      let cell = machine.view(of: .init(type: collection.name, name: key))
      let now = SystemClock().nowMilliseconds() + machine.replica.skewMilliseconds
      if input.aged, let (field, value) = collection.aged(cell, atMilliseconds: now) { record[field] = value }
      return Output(
        found: true, record: record, ids: collection.ids(of: cell), changed: changed, by: by,
        decided: collection.decided(in: cell).map { Int($0) })
    } catch {
      throw Failure.error(error)
    }
  }
}
