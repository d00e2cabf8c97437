import FlowModel
import FlowPluginKit
import FlowTestKit
import Foundation
import SyncCore
import SyncDevice
import SyncPomodoro
import SyncSQLite
import Testing

@testable import SyncPlugin

/// The time when a state was set, and values that decrease from then on.
@Suite(.timeLimit(.minutes(1))) struct AgedTests {
  private let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "sync-aged-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try """
    schema: ovens
    collections:
      ovens:
        fields:
          state: { type: string, enum: [on, off] }
          left: { type: duration }
          is-open: { type: boolean }
          uses: { type: integer, merge: counter }
        decide:
          - causal
          - { smallest: left, ages: true, unless: is-open, when: { state: [on] } }
          - newest
          - device
    """.write(toFile: folder + "/ovens.sync.yaml", atomically: true, encoding: .utf8)
  }

  private func connected() async throws -> TestHost {
    let host = TestHost(dataFolder: folder, workflowFolder: folder, handles: .readingSchemas)
    _ = try await host.call(
      Connect.self, with: ["device": "mac", "store": "shared.sqlite", "schema": "ovens.sync.yaml"])
    return host
  }

  private func put(_ host: TestHost, _ fields: ValueObject) async throws {
    _ = try await host.call(Put.self, with: ["collection": "ovens", "key": "big", "fields": .object(fields)])
  }

  private func get(_ host: TestHost, aged: Bool = false) async throws -> ValueObject {
    try await host.call(Get.self, with: ["collection": "ovens", "key": "big", "aged": .boolean(aged)])
  }

  @Test func `changing a counter does not change the time at which the state was decided`() async throws {
    let host = try await connected()
    try await put(host, ["state": "on", "left": "25m"])
    let decided = try #require(try await get(host)["decided"]?.integerValue)
    try await put(host, ["uses": ["add": 1]])
    let later = try await get(host)
    #expect(later["decided"] == .integer(decided))
    #expect(try #require(later["changed"]?.integerValue) >= decided)
    let rows = try await host.call(Query.self, with: ["sql": "SELECT _decided, \"left\" FROM ovens"])["rows"]
    #expect(rows == [["_decided": .integer(decided), "left": 1_500_000]])
    try await put(host, ["state": "off"])
    #expect(try #require(try await get(host)["decided"]?.integerValue) > decided)
    try host.closeHandles()
  }

  @Test(arguments: [
    ("on", false, 60_000, 1_440_000), ("on", false, 2_000_000, 0), ("on", false, -5000, 1_500_000),
    ("on", true, 60_000, 1_500_000), ("off", false, 60_000, 1_500_000),
  ])
  func `a query shows a decreasing value as of the time of the query`(
    _ state: String, _ isOpen: Bool, _ later: Int, _ left: Int
  ) async throws {
    let host = try await connected()
    try await put(host, ["state": .string(state), "left": "25m", "is-open": .boolean(isOpen)])
    let decided = try #require(try await get(host)["decided"]?.integerValue)
    let connection: Connection = try #require(host.handle(.syncConnection))
    let collection = try connection.records.requireShown("ovens")
    let query = RecordQuery(path: connection.file, tables: connection.records.shown.tables)
    let rows = try query.run("SELECT aged_left FROM ovens", atMilliseconds: Int64(decided + later))
    #expect(rows.rows == [[.integer(Int64(left))]])
    let cell = await connection.session.machine.view(of: RecordKey(type: "ovens", name: "big"))
    let aged = try #require(collection.aged(cell, atMilliseconds: Int64(decided + later)))
    #expect(aged.field == "left")
    #expect(aged.value == collection.field("left")?.value(.integer(Int64(left))))
    try host.closeHandles()
  }

  @Test func `sync.get returns the value as written if it does not decrease in the record's state`() async throws {
    let host = try await connected()
    try await put(host, ["state": "off", "left": "25m"])
    #expect(try await get(host)["record"]?.objectValue?["left"] == "25m")
    #expect(try await get(host, aged: true)["record"]?.objectValue?["left"] == "25m")
    try host.closeHandles()
  }

  @Test(
    arguments: [(.min, 1, .min, 0), (.max, -1, .max, .max)] as [(Int64, Int64, Int64, Int64)])
  func `computing an aged value never overflows, whatever number another device sets`(
    _ left: Int64, _ later: Int64, _ standing: Int64, _ aged: Int64
  ) {
    let rule = DecideRule(smallest: .init(field: "left", ages: true))
    let state = RecordState(values: ["left": Scalar.integer(left).bytes])
    let set: Int64 = 1000
    #expect(
      rule.standing(of: state, setAtMilliseconds: set, atMilliseconds: set + later).remainingMilliseconds == standing)
    #expect(rule.aged(state, setAtMilliseconds: set, atMilliseconds: set + later)?.milliseconds == aged)
  }

  @Test func `a query for the aged value of a field that does not decrease is refused`() async throws {
    let host = try await connected()
    await #expect(throws: (any Error).self) {
      try await host.call(Query.self, with: ["sql": "SELECT aged_uses FROM ovens"])
    }
    try host.closeHandles()
  }
}
