import FlowModel
import FlowPluginKit
import FlowTestKit
import Foundation
import SyncEngine
import SyncPomodoro
import SyncRecords
import SyncSQLite
import SyncDevice
import Testing

@testable import PomodoroPlugin
@testable import SyncPlugin

/// The subcommands `flowrun sync …` on the files of devices.
@Suite(.timeLimit(.minutes(10))) struct ReportsTests {
  private let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "sync-reports-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try """
    schema: notes
    collections:
      notes:
        fields:
          title: { type: string }
          tags: { type: array, items: string, merge: set }
          likes: { type: integer, merge: counter }
      few:
        fields:
          text: { type: string }
        limit: 2
    """.write(toFile: folder + "/notes.sync.yaml", atomically: true, encoding: .utf8)
  }

  private func connected(_ device: String, with more: ValueObject = ["store": "shared.sqlite"]) async throws
    -> (TestHost, Connection)
  {
    let host = TestHost(dataFolder: folder, workflowFolder: folder, handles: .readingSchemas)
    var with = more
    with["device"] = .string(device)
    _ = try await host.call(Connect.self, with: with)
    return (host, try #require(host.handle(.syncConnection)))
  }

  private static let notes: ValueObject = ["store": "shared.sqlite", "schema": "notes.sync.yaml"]

  private func put(_ host: TestHost, _ collection: String, _ key: String, _ fields: ValueObject) async throws {
    _ = try await host.call(
      Put.self, with: ["collection": .string(collection), "key": .string(key), "fields": .object(fields)])
  }

  private func shown(_ sql: String, _ file: String) throws -> [String] {
    try RecordQuery(path: file, tables: ["notes", "few"].map { ShownTable(name: $0, columns: []) }).run(sql).rows.map {
      "\($0)"
    }
  }

  @Test func `a change that was discarded between two runs is no longer shown`() async throws {
    let (mac, connection) = try await connected("mac", with: Self.notes)
    let (phone, _) = try await connected("phone", with: Self.notes)
    let file = connection.file
    try await put(mac, "notes", "a", ["title": "zone", "tags": ["add": ["x", "y"]], "likes": ["add": 2]])
    try await put(mac, "few", "a", ["text": "1"])
    let (notes, few) = ("SELECT title, tags, likes FROM notes", "SELECT _key FROM few ORDER BY _key")
    let zone = try shown(notes, file)
    await connection.session.setOnline(false)
    _ = try await mac.call(
      Transaction.self,
      with: [
        "wait": false,
        "writes": [
          ["collection": "few", "key": "b", "fields": ["text": "2"]],
          [
            "collection": "notes", "key": "a",
            "fields": ["title": "mine", "tags": ["remove": ["x"]], "likes": ["add": 5]],
          ],
        ],
      ])
    try await put(phone, "few", "c", ["text": "3"])
    await connection.session.setOnline(true)
    // The zone refuses a third record, and with it the whole transaction.
    #expect(await connection.session.wait(milliseconds: 60_000) { !$0.status(atMilliseconds: 0).parked.isEmpty })
    for host in [mac, phone] { try host.closeHandles() }
    #expect(try shown(notes, file) != zone)
    #expect(try shown(few, file).count == 3)
    #expect(try await SyncReports.discard(file: file, position: nil) == 2)
    #expect(try shown(notes, file) == zone)
    #expect(try shown(few, file) == shown("SELECT 'a' UNION SELECT 'c' ORDER BY 1", file))
  }

  @Test func `the file of a device with the Pomodoro schema contains the rules that are needed to show its records`()
    async throws
  {
    let (mac, connection) = try await connected("mac")
    _ = try await mac.call(Push.self, with: ["state": "focus", "remaining": "25m"])
    let machine = await connection.session.machine
    try mac.closeHandles()
    let store = try SQLiteReplicaStore(path: connection.file, isReadOnly: true)
    defer { try? store.close() }
    let schema = try #require(RecordSchema(shown: try store.shownTables(), in: machine))
    let usual = Pomodoro.schema.withDevices.collections
    #expect(Set(schema.collections.map(\.name)) == Set(usual.map(\.name)))
    #expect(schema.collection("timers")?.decide == Pomodoro.decide)
    for collection in usual {
      #expect(schema.collection(collection.name)?.fields.map(\.rule) == collection.fields.map(\.rule))
    }
  }

  @Test func `the status lists the limits of a schema's budget, but none for a shared file`() async throws {
    let server: ValueObject = ["server": "http://127.0.0.1:1", "wait": "10ms"]
    var notes = server
    notes["schema"] = "notes.sync.yaml"
    for (device, with, limit) in [
      ("file", ["store": "shared.sqlite"], nil), ("timer", server, 100),
      ("notes", notes, nil),
    ] as [(String, ValueObject, Int?)] {
      let (host, connection) = try await connected(device, with: with)
      // Waits until a request has been sent.
      #expect(await connection.session.wait(milliseconds: 60_000) { $0.replica.statistics.requests > 0 })
      try host.closeHandles()
      let status = try #require(try await SyncReports.status(file: connection.file))
      let (requests, bytes): (Value, Value) = limit.map { (.integer($0), 1_000_000) } ?? (.null, .null)
      #expect(status.value["requestsPerHourLimit"] == requests, "\(device)")
      #expect(status.value["bytesPerDayLimit"] == bytes, "\(device)")
      #expect(status.value["level"] == "normal")
      #expect(status.text.contains("in the last hour, no limit") == (limit == nil), "\(status.text)")
    }
  }
}
