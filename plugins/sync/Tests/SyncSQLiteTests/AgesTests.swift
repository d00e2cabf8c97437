import FlowSQLite
import SyncCore
import SyncEngine
import SyncSQLite
import Synchronization
import Testing

/// The time when a zone in a file forgets deletions.
struct AgesTests {
  /// A clock with a settable time.
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
    try await backend.changes(zone: Self.zone, since: nil, limit: 100, maximumBytes: 1 << 20)
  }

  private func commit(_ backend: SQLiteBackend, _ key: RecordKey, _ write: Write) async throws {
    let version = try await page(backend).records.first { $0.key == key }?.version ?? 0
    let reply = try await backend.commit(
      [RecordOperation(key: key, expectedVersion: version, change: .write(write))], zone: Self.zone)
    guard case .committed = reply.results.first else { throw BackendError.invalid("\(reply)") }
  }

  private func write(_ number: Int64, _ record: RecordWrite? = nil, seeing context: VersionVector = .init()) -> Write {
    Write(
      dot: Dot(device: Self.mac, number: number), milliseconds: clock.nowMilliseconds(), context: context,
      record: record)
  }

  /// Creates a note and deletes it.
  private func delete(in backend: SQLiteBackend) async throws {
    var rules = write(1)
    rules.fields = [.init(name: "likes", value: Array("integer counter".utf8))]
    try await commit(backend, ZoneRules.key(of: "notes"), rules)
    try await commit(
      backend, Self.note, write(2, RecordWrite(incarnation: 0, changes: [.init(name: "likes", kind: .add(1))])))
    let record = try #require(try await page(backend).records.first { $0.key == Self.note })
    try await commit(
      backend, Self.note, write(3, RecordWrite(incarnation: 0, isDeletion: true), seeing: record.cell.context))
  }

  /// Makes changes on each of `days` days. Returns true if the zone still contains the deletion.
  private func remembers(_ backend: SQLiteBackend, after days: Int, skewDays: Int64 = 0) async throws -> Bool {
    for _ in 1...days {
      let now = clock.now.withLock { now in
        now += ZoneAges.dayMilliseconds
        return now
      }
      // Both another device, whose clock may be wrong, and this one make a change.
      for (device, skew) in [(DeviceID(stem: "far", random: 2), skewDays * ZoneAges.dayMilliseconds), (Self.mac, 0)] {
        clock.now.withLock { $0 = now + skew }
        var rules = write(now)
        rules.dot.device = device
        rules.fields = [.init(name: "\(device.stem)\(now)", value: Array("integer counter".utf8))]
        try await commit(backend, ZoneRules.key(of: "other\(now / ZoneAges.dayMilliseconds / 100)"), rules)
      }
    }
    return try await page(backend).records.contains { $0.key == Self.note }
  }

  @Test(arguments: [0, 365, -90, 90] as [Int64])
  func `a deletion is kept for 91 days and then forgotten, even if another device's clock is wrong`(_ skewDays: Int64)
    async throws
  {
    let backend = try open()
    try await delete(in: backend)
    #expect(try await remembers(backend, after: 91, skewDays: skewDays))
    #expect(try await page(backend).dropped == Dropped())
    #expect(try await !remembers(backend, after: 1, skewDays: skewDays))
    #expect(try await page(backend).dropped == Dropped(sequence: 3, incarnation: 1))
  }

  @Test func `the age of a deletion continues to count after the file is opened again`() async throws {
    let backend = try open()
    try await delete(in: backend)
    #expect(try await remembers(backend, after: 50))
    try backend.close()
    let opened = try open()
    #expect(try await remembers(opened, after: 41))
    #expect(try await !remembers(opened, after: 1))
  }
}
