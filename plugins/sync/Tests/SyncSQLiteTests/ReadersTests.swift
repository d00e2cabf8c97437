import FlowSQLite
import SyncCore
import SyncEngine
import SyncPomodoro
import SyncSQLite
import Synchronization
import Testing

/// Whom a zone waits for before it forgets what was deleted.
@Suite struct ReadersTests {
  /// Shows the time that a test says.
  private final class TurnedClock: SyncClock {
    let now = Mutex(SystemClock().nowMilliseconds())
    func nowMilliseconds() -> Int64 { now.withLock { $0 } }
    func sleep(untilMilliseconds time: Int64) async throws {}
  }

  private static let zone = "notes"
  private static let mac = DeviceID(stem: "mac", random: 1)
  private static let note = RecordKey(type: "notes", name: "a")
  private let folder: Folder
  private let clock = TurnedClock()

  init() throws { folder = try Folder() }

  private func open() throws -> SQLiteBackend {
    try SQLiteBackend(path: folder.file("zone.sqlite"), zones: [Self.zone], clock: clock)
  }

  private func page(_ backend: SQLiteBackend) async throws -> ChangePage {
    try await backend.changes(
      zone: Self.zone, since: nil, limit: 100, maximumBytes: 1 << 20, reader: .device(Self.mac), of: nil)
  }

  private func commit(_ backend: SQLiteBackend, _ key: RecordKey, _ write: Write) async throws {
    let version = try await page(backend).records.first { $0.key == key }?.version ?? 0
    let reply = try await backend.commit(
      [Operation(key: key, expectedVersion: version, change: .write(write))], zone: Self.zone)
    guard case .committed = reply.results.first else { throw BackendError.invalid("\(reply)") }
  }

  /// Makes a record and deletes it, and says that the one device has seen that; gives whether the zone has forgotten it.
  private func forgets(_ backend: SQLiteBackend, numbersFrom number: Int64) async throws -> Bool {
    let incarnation = try await page(backend).dropped.incarnation
    func write(_ offset: Int64, _ record: RecordWrite, seeing context: VersionVector = VersionVector()) -> Write {
      Write(
        dot: Dot(device: Self.mac, number: number + offset), milliseconds: clock.nowMilliseconds(), context: context,
        record: record)
    }
    let living = RecordWrite(incarnation: incarnation, changes: [.init(name: "likes", kind: .add(1))])
    try await commit(backend, Self.note, write(0, living))
    let record = try #require(try await page(backend).records.first { $0.key == Self.note })
    try await commit(
      backend, Self.note,
      write(1, RecordWrite(incarnation: record.cell.content.incarnation, isDeletion: true), seeing: record.cell.context)
    )
    return try await hasForgotten(backend)
  }

  private func hasForgotten(_ backend: SQLiteBackend) async throws -> Bool {
    _ = try await backend.commit([.seen(try await page(backend).cursor, by: Self.mac)], zone: Self.zone)
    return try await !page(backend).records.contains { $0.key == Self.note }
  }

  private func declare(_ backend: SQLiteBackend) async throws {
    let rules = Write(
      dot: Dot(device: Self.mac, number: 1), milliseconds: clock.nowMilliseconds(),
      fields: [.init(name: "likes", value: Array("integer counter".utf8))])
    try await commit(backend, ZoneRules.key(of: "notes"), rules)
  }

  @Test func `a file of an earlier version is read, and waits 90 days for anyone who may have read it`() async throws {
    let backend = try open()
    try await declare(backend)
    try backend.close()
    // As the version before left it, which noted nobody.
    try SQLiteConnection(folder.file("zone.sqlite")).execute("DELETE FROM seen; PRAGMA user_version = 4")
    let opened = try open()
    #expect(try await page(opened).records.count == 1)
    #expect(try await !forgets(opened, numbersFrom: 10))
    clock.now.withLock { $0 += (RecordLimits.silentDays + 1) * 86_400_000 }
    #expect(try await hasForgotten(opened))
  }

  @Test func `a device that has fetched is waited for until it has been silent for 90 days`() async throws {
    let backend = try open()
    try await declare(backend)
    #expect(try await forgets(backend, numbersFrom: 10))
    let phone = ZoneReader.device(DeviceID(stem: "phone", random: 2))
    _ = try await backend.changes(zone: Self.zone, since: nil, limit: 1, maximumBytes: 1, reader: phone, of: nil)
    #expect(try await !forgets(backend, numbersFrom: 20))
    clock.now.withLock { $0 += 60 * 86_400_000 }
    _ = try await backend.changes(zone: Self.zone, since: nil, limit: 1, maximumBytes: 1, reader: phone, of: nil)
    clock.now.withLock { $0 += 60 * 86_400_000 }
    #expect(try await !hasForgotten(backend))
    clock.now.withLock { $0 += 31 * 86_400_000 }
    #expect(try await hasForgotten(backend))
  }

  @Test func `somebody who only looks is not waited for`() async throws {
    let backend = try open()
    try await declare(backend)
    let looked = try await backend.changes(zone: Self.zone, since: nil, limit: 1, maximumBytes: 1)
    #expect(!looked.isReaderNoted)
    #expect(try await forgets(backend, numbersFrom: 10))
  }
}
