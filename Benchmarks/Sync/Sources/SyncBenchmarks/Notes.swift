import Foundation
import SyncCore
import SyncEngine
import SyncRecords
import SyncSQLite
import SyncYAML

/// The records of an app: a schema, functions that fill a zone, and a device that stores the records in its own file.
enum Notes {
  private static let text = """
    schema: notes
    collections:
      notes:
        fields:
          title: { type: string }
          tags: { type: array, items: string, merge: set }
          likes: { type: integer, merge: counter }
        limit: 1000000
    """

  static func schema() throws -> RecordSchema {
    let file = YAMLSchemas().read(Array(text.utf8), file: "notes.sync.yaml")
    guard let schema = file.schema else { throw Failure(file.rendered()) }
    return schema
  }

  static func key(_ number: Int) -> RecordKey { RecordKey(type: "notes", name: "note-\(number)") }

  /// Sends the rules for merging notes to a zone.
  static func nameRules(_ backend: any SyncBackend, zone: String) async throws {
    // A zone that has been used before already has the rules.
    if try await !backend.changes(zone: zone, since: nil, limit: 1, maximumBytes: 1).records.isEmpty { return }
    let rules = try schema().collections[0].rules.texts.map { name, text in
      Write.FieldChange(name: name, value: Array(text.utf8))
    }
    let write = Write(
      dot: Dot(device: DeviceID(stem: "w", random: 1), number: 1), milliseconds: try await backend.serverTime(),
      fields: rules)
    try await commit([(ZoneRules.key(of: "notes"), write)], backend, zone)
  }

  /// Returns an operation that adds a like to a note.
  static func like(_ key: RecordKey, by dot: Dot, expected: Int64, milliseconds: Int64) -> RecordOperation {
    let write = Write(
      dot: dot, milliseconds: milliseconds, record: RecordWrite(changes: [.init(name: "likes", kind: .add(1))]))
    return RecordOperation(key: key, expectedVersion: expected, change: .write(write))
  }

  /// Writes the rules of the collection and this many records to a zone.
  static func fill(_ backend: any SyncBackend, zone: String, records count: Int) async throws {
    let device = DeviceID(stem: "w", random: 1)
    let now = try await backend.serverTime()
    try await nameRules(backend, zone: zone)
    for begin in stride(from: 0, to: count, by: 100) {
      let writes = (begin..<begin + 100).map { number in
        let record = RecordWrite(changes: [
          .init(name: "likes", kind: .add(Int64(number % 7))),
          .init(name: "tags", kind: .elements(add: [Scalar.text("tag \(number % 50)").bytes], remove: [])),
        ])
        return (
          key(number),
          Write(
            dot: Dot(device: device, number: Int64(number + 2)), milliseconds: now,
            fields: [.init(name: "title", value: Scalar.text("the note with number \(number)").bytes)], record: record)
        )
      }
      try await commit(writes, backend, zone)
    }
  }

  private static func commit(
    _ writes: [(key: RecordKey, write: Write)], _ backend: any SyncBackend, _ zone: String
  ) async throws {
    let reply = try await backend.commit(
      writes.map { RecordOperation(key: $0.key, expectedVersion: 0, change: .write($0.write)) }, zone: zone)
    for result in reply.results {
      guard case .committed = result else { throw Failure("a commit came to \(result)") }
    }
  }

  /// Returns a device that is configured with this schema like a device of `sync.connect`.
  static func session(_ backend: any SyncBackend, zone: String) async throws -> SyncSession {
    let schema = try schema()
    var settings = SyncSettings()
    settings.projection = SchemaProjection(schema)
    (settings.pageRecords, settings.pageBytes) = (SyncLimits.records, SyncLimits.bodyBytes)
    settings.gatherMilliseconds = 0
    let store = try SQLiteReplicaStore(path: NSTemporaryDirectory() + "sync-benchmark-\(UUID().uuidString).sqlite")
    _ = try store.show([ShownTable(name: "notes", columns: ["title", "tags", "likes"].map { .init(name: $0) })])
    return try await SyncSession.open(
      device: "new", zone: zone, backend: backend, store: store, settings: settings, limits: .none)
  }

  /// Returns a device that has fetched this many records from a zone in a file.
  static func filled(records count: Int) async throws -> SyncSession {
    let zone = "Filled\(count)"
    let backend = try SQLiteBackend(
      path: NSTemporaryDirectory() + "sync-benchmark-filled-\(UUID().uuidString).sqlite",
      zones: [zone])
    try await fill(backend, zone: zone, records: count)
    let session = try await session(backend, zone: zone)
    await session.start()
    guard await session.wait(milliseconds: 600_000, until: { $0.completedPulls > 0 }),
      await session.machine.replica.confirmed.count == count + 1
    else { throw Failure("the device did not fetch everything") }
    return session
  }
}
