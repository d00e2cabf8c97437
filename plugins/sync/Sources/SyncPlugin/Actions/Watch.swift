import FlowModel
import FlowPluginKit
import SyncDevice
import SyncEngine
import SyncRecords

/// Follows changes to records until the run ends. For each change, it posts an event and logs the old and new values.
struct Watch: StepService {
  static let name = "sync.watch"
  static let summary = "Follows the records during the run: an event and a line for each change"
  static let requires: [HandleKey] = [.syncConnection]
  static let events = ["sync.record-changed"]
  static let example = """
    uses: sync.watch
    with: { collection: notes }
    """

  struct Input: ActionInput {
    @Field("Only the records of this collection") var collection: String?
  }

  struct Output: ActionOutput {
    var device: String
    static let summaries = ["device": "The device's identity"]
  }

  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> Output {
    let connection: Connection = try context.handle(.syncConnection)
    do {
      let records = connection.records
      let wanted = input.collection.flatMap { $0.isEmpty ? nil : $0 }
      if let wanted { _ = try records.requireShown(wanted) }
      let (notices, shown) = (connection.notices(), records.shown)
      let output = Output(device: await connection.session.status().device.name)
      context.ready(output)
      for await (notice, _) in notices {
        guard let change = RecordChange(notice, shown), wanted == nil || change.collection == wanted else {
          continue
        }
        context.log(change.line)
        try context.post("sync.record-changed")
      }
      return output
    } catch {
      throw Failure.error(error)
    }
  }
}

/// A change to a record, as reported by `sync.watch`.
struct RecordChange {
  let collection: String
  private let value: ValueObject

  /// Creates a change from a notice. Returns nil for other notices, for records outside the schema, and if no shown
  /// field has changed.
  init?(_ notice: SyncMachine.Notice, _ schema: RecordSchema) {
    guard case .recordChanged(let key, let before, let after, let isRemote) = notice,
      let collection = schema.collection(key.type)
    else { return nil }
    let (old, new) = (collection.shown(before), collection.shown(after))
    guard old != new else { return nil }
    self.collection = collection.name
    let device = (after.content.changed ?? after.latestStamp)?.device.name ?? ""
    value = ValueObject([
      ("collection", .string(collection.name)), ("key", .string(key.name)), ("old", old.map { .object($0) } ?? .null),
      ("new", new.map { .object($0) } ?? .null), ("isRemote", .boolean(isRemote)),
      ("by", .string(device)),
    ])
  }

  /// The change as a line of JSON.
  var line: String { String(decoding: JSONText.bytes(of: .object(value)), as: UTF8.self) }
}
