import FlowSQLite
import Foundation
import SyncCore
import SyncEngine
import SyncPomodoro
import SyncSQLite
import Synchronization
import Testing

/// Sessions of devices on real files.
@Suite(.timeLimit(.minutes(10))) struct SessionTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func backend() throws -> SQLiteBackend {
    try SQLiteBackend(path: folder.file("shared.sqlite"), zones: [Pomodoro.zone])
  }

  /// Starts a device with its file, after closing the store of an earlier session.
  private func session(_ device: String, file: String? = nil) async throws -> SyncSession {
    let path = folder.file("\(file ?? device).sqlite")
    try Self.stores.withLock { try $0.removeValue(forKey: path)?.close() }
    let store = try SQLiteReplicaStore(path: path)
    Self.stores.withLock { $0[path] = store }
    let session = try await SyncSession.open(
      device: device, zone: Pomodoro.zone, backend: try backend(), store: store)
    try await session.declare(Pomodoro.schema)
    await session.start()
    return session
  }

  private static let stores = Mutex<[String: SQLiteReplicaStore]>([:])

  private func focus(_ session: SyncSession, completed: Int64 = 0) async throws {
    let state = TimerState(kind: .focus, remainingMilliseconds: 1_500_000)
    try await session.act(Pomodoro.timer, .edit(state.edit(completing: completed)))
  }

  private static func completed(_ machine: SyncMachine) -> Int64 {
    TimerStateRecord.completed(in: machine.view(of: Pomodoro.timer))
  }

  private static func setting(_ name: String, _ value: String) -> SyncMachine.Action {
    .edit(RecordEdit(fields: [name: .set(Scalar.text(value).bytes)]))
  }

  private static func kind(_ machine: SyncMachine) -> TimerKind? {
    TimerStateRecord(cell: machine.view(of: Pomodoro.timer))?.state.kind
  }

  @Test func `S1, S39: two devices that share a file see each other's changes`() async throws {
    let (mac, phone) = (try await session("mac"), try await session("phone"))
    try await focus(mac, completed: 1)
    #expect(await phone.wait(milliseconds: 60_000) { Self.kind($0) == .focus })
    try await phone.act(Pomodoro.timer, .edit(TimerState(kind: .idle).edit(completing: 1)))
    #expect(await mac.wait(milliseconds: 60_000) { Self.kind($0) == .idle })
    #expect(await Self.completed(mac.machine) == 2)
    #expect(await mac.status().statistics.conflicts[.causal] == 1)
    await mac.stop()
    await phone.stop()
  }

  @Test func `S32, S35: changes made offline are saved, and sent by the next process`() async throws {
    let before = try await session("mac")
    await before.setOnline(false)
    try await focus(before, completed: 1)
    await before.stop()
    let after = try await session("mac")
    #expect(await after.wait(milliseconds: 60_000) { $0.isFlushed })
    let page = try await backend().changes(zone: Pomodoro.zone, since: nil, limit: 9, maximumBytes: 9999)
    let timer = try #require(page.records.first { $0.key == Pomodoro.timer })
    #expect(TimerStateRecord.completed(in: timer.cell) == 1)
    #expect(await after.machine.replica.device == before.machine.replica.device)
    await after.stop()
  }

  @Test func `S28: a device keeps its identity, and two devices with the same name have different identities`()
    async throws
  {
    let store = MemoryReplicaStore()
    var names: Set<String> = []
    for _ in 0..<2 {
      let one = try await SyncSession.open(
        device: "mac", zone: Pomodoro.zone, backend: try backend(), store: store)
      await one.start()
      names.insert(await one.machine.replica.device.name)
      await one.stop()
    }
    #expect(names.count == 1)
    let other = try await session("mac")
    #expect(!names.contains(await other.machine.replica.device.name))
    await other.stop()
  }

  @Test func `S32: local changes are synchronized to the disk, and fetched changes are not`() async throws {
    let store = MemoryReplicaStore()
    let mac = try await SyncSession.open(
      device: "mac", zone: Pomodoro.zone, backend: try backend(), store: store)
    try await mac.declare(Pomodoro.schema)
    await mac.start()
    #expect(await mac.wait(milliseconds: 60_000) { $0.completedPulls > 0 && $0.isFlushed })
    let before = store.saves.count
    try await focus(mac)
    // The request is saved together with the action.
    #expect(store.saves.dropFirst(before).first == true)
    #expect(await mac.wait(milliseconds: 60_000) { $0.isFlushed })
    #expect(store.saves.last == false)
    await mac.stop()
  }

  @Test func `only one process can open a device's file, and others get an error that names that process`()
    throws
  {
    let path = folder.file("mac.sqlite")
    let first = try SQLiteReplicaStore(path: path)
    #expect(throws: ReplicaError.inUse(by: "process \(ProcessInfo.processInfo.processIdentifier)")) {
      try SQLiteReplicaStore(path: path)
    }
    let looking = try SQLiteReplicaStore(path: path, isReadOnly: true)
    try looking.close()
    try first.close()
    let second = try SQLiteReplicaStore(path: path)
    try second.close()
    let rights = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(rights == 0o600)
  }

  @Test func `an action over a limit is refused without saving anything, and the file can be opened again`()
    async throws
  {
    let mac = try await session("mac")
    let large = Self.setting("big", String(repeating: "x", count: RecordLimits.valueBytes))
    let before = await mac.status().statistics.actions
    await #expect(throws: ReplicaError.self) { try await mac.act(Pomodoro.settings, large) }
    #expect(await mac.status().statistics.actions == before)
    try await focus(mac)
    #expect(await mac.wait(milliseconds: 60_000) { $0.isFlushed })
    await mac.stop()
    let again = try await session("mac")
    #expect(await again.machine.view(of: Pomodoro.settings).fields.isEmpty)
    await again.stop()
  }

  /// Stores a record in the shared file that the arbiter would refuse, as an earlier version did.
  private func commitOverLimit() async throws {
    try (try backend()).close()
    var cell = Cell()
    let phone = DeviceID(stem: "phone", random: 9)
    let now = SystemClock().nowMilliseconds()
    for (number, (name, size)) in [("big", 17_000), ("theme", 3)].enumerated() {
      cell.apply(
        Write(
          dot: Dot(device: phone, number: Int64(number + 1)), milliseconds: now,
          fields: [.init(name: name, value: Scalar.text(String(repeating: "x", count: size)).bytes)],
          record: RecordWrite()), windowMilliseconds: 5000)
    }
    let key = Pomodoro.settings
    let database = try SQLiteConnection(folder.file("shared.sqlite"))
    try database.run(
      "INSERT INTO record VALUES (?, ?, ?, 1, 1, ?, NULL)",
      [.text(Pomodoro.zone), .text(key.type), .text(key.name), .bytes(cell.packed())])
    try database.execute("UPDATE zone SET seq = 1")
  }

  private static func settings(_ machine: SyncMachine) -> [String] {
    machine.view(of: Pomodoro.settings).fields.map(\.name)
  }

  @Test func `V20: a stored value that exceeds a limit is reported and not shown, and all changes are sent`()
    async throws
  {
    func set(_ name: String, _ session: SyncSession) async throws {
      try await session.act(Pomodoro.settings, Self.setting(name, "2"))
      #expect(await session.wait(milliseconds: 60_000) { $0.isFlushed })
    }
    try await commitOverLimit()
    let mac = try await session("mac")
    #expect(await mac.wait(milliseconds: 60_000) { $0.replica.cursor != nil })
    var status = await mac.status()
    #expect(status.notShown.map(\.key) == [Pomodoro.settings])
    #expect(status.notShown.first?.reason.contains("'big' has 17001 bytes, at most 16384") == true)
    #expect(await Self.settings(mac.machine) == ["theme"])
    // Everything else continues, even for this record.
    try await focus(mac)
    try await set("sound", mac)
    await mac.stop()
    let again = try await session("mac")
    #expect(await Self.settings(again.machine) == ["sound", "theme"])
    #expect(await Self.kind(again.machine) == .focus)
    let record = try #require(await again.machine.replica.confirmed[Pomodoro.settings])
    #expect(record.cell.fields.map(\.value.count) == [17_001, 2, 4])
    // A value within the limit replaces the long one.
    try await set("big", again)
    status = await again.status()
    #expect(status.notShown.isEmpty && status.parked.isEmpty)
    #expect(await Self.settings(again.machine) == ["big", "sound", "theme"])
    await again.stop()
  }

  @Test func `V15: two devices that use copies of one file at the same time lose nothing`() async throws {
    let mac = try await session("mac")
    func set(_ name: String, _ session: SyncSession) async throws {
      try await session.act(Pomodoro.settings, Self.setting(name, "1"))
    }
    try await set("before", mac)
    #expect(await mac.wait(milliseconds: 60_000) { $0.isFlushed })
    let copy = folder.file("copy.sqlite")
    try SQLiteConnection(folder.file("mac.sqlite")).execute("VACUUM INTO '\(copy)'")
    let other = try await session("mac", file: "copy")
    for number in 0..<6 {
      async let one: Void = set("a\(number)", mac)
      async let two: Void = set("b\(number)", other)
      _ = try await (one, two)
    }
    for session in [mac, other] {
      #expect(await session.wait(milliseconds: 60_000) { $0.view(of: Pomodoro.settings).fields.count == 13 })
      #expect(await session.wait(milliseconds: 60_000) { $0.isFlushed })
    }
    #expect(await mac.machine.replica.device != other.machine.replica.device)
    await mac.stop()
    await other.stop()
  }

  @Test func `actions are refused while the disk is full, and accepted again afterwards`()
    async throws
  {
    let store = MemoryReplicaStore()
    let one = try await SyncSession.open(
      device: "mac", zone: Pomodoro.zone, backend: try backend(), store: store)
    try await one.declare(Pomodoro.schema)
    await one.start()
    try await focus(one, completed: 1)
    store.isFull = true
    await #expect(throws: ReplicaError.self) { try await focus(one, completed: 1) }
    #expect(await Self.completed(one.machine) == 1)
    store.isFull = false
    try await focus(one, completed: 1)
    #expect(await Self.completed(one.machine) == 2)
    #expect(await one.wait(milliseconds: 60_000) { $0.isFlushed })
    await one.stop()
  }

  @Test
  func `V15, S28: a device restored from an older copy of its file continues under a new name and loses nothing`()
    async throws
  {
    let phone = try await session("phone")
    let mac = try await session("mac")
    try await focus(mac, completed: 1)
    #expect(await mac.wait(milliseconds: 60_000) { $0.isFlushed })
    await mac.stop()
    let (path, copy) = (folder.file("mac.sqlite"), folder.file("copy.sqlite"))
    try SQLiteConnection(path).execute("VACUUM INTO '\(copy)'")
    let lost = try await session("mac")
    for _ in 0..<3 {
      try await focus(lost, completed: 1)
      #expect(await lost.wait(milliseconds: 60_000) { $0.isFlushed })
    }
    await lost.stop()
    let again = try await SyncSession.open(
      device: "mac", zone: Pomodoro.zone, backend: try backend(), store: try SQLiteReplicaStore(path: copy))
    // The device used this action's number before, for an action that the restored copy does not contain.
    try await again.act(
      Pomodoro.timer, .edit(TimerState(kind: .focus, remainingMilliseconds: 1).edit()))
    await again.start()
    #expect(await again.wait(milliseconds: 60_000) { $0.isFlushed })
    let (old, new) = (await lost.machine.replica.device, await again.machine.replica.device)
    #expect(old != new)
    #expect(new.stem == "mac")
    // Actions whose number belongs to another action are kept under a new name.
    #expect(
      await phone.wait(milliseconds: 60_000) {
        $0.view(of: Pomodoro.timer).context.dots.contains { $0.device != old && $0.device.stem == "mac" }
      })
    #expect(await Self.completed(phone.machine) == 4)
    await again.stop()
    await phone.stop()
  }

  @Test(arguments: [(nil, 0, 2), ("act-7.", 1, 21)] as [(String?, Int, Int)])
  func `actions that arrive while the disk is busy are saved together, and only a refused one fails`(
    refused: String?, failed: Int, saves: Int
  ) async throws {
    let gate = MemoryReplicaStore.Gate()
    let store = MemoryReplicaStore(gate: gate, refused: refused)
    let session = try await SyncSession.open(
      device: "mac", zone: Pomodoro.zone, backend: MemoryBackend(zones: [Pomodoro.zone]), store: store,
      clock: StandingClock())
    @Sendable func act(_ number: Int) async -> Int {
      // Rules can be written without declaring rules first.
      let key = RecordKey(type: ZoneRules.type, name: "act-\(number).")
      return (try? await session.act(key, .rules(["n": "integer newest"]))) == nil ? 1 : 0
    }
    let failures = await withTaskGroup(of: Int.self) { group in
      group.addTask { await act(0) }
      while store.attempts == 0, !Task.isCancelled { await Task.yield() }
      // The first action is being saved while the others arrive.
      for number in 1..<20 { group.addTask { await act(number) } }
      while await session.waitingEvents < 19, !Task.isCancelled { await Task.yield() }
      await gate.open()
      return await group.reduce(0, +)
    }
    #expect(failures == failed)
    #expect(store.attempts == saves)
    let keys = await session.machine.replica.outbox.map(\.key.name)
    #expect(Set(keys) == Set((0..<20).filter { failed == 0 || $0 != 7 }.map { "act-\($0)." }))
    await session.stop()
  }

  @Test func `a save to a full disk is repeated only at the next event`() async throws {
    let store = MemoryReplicaStore()
    store.isFull = true
    let session = try await SyncSession.open(
      device: "mac", zone: Pomodoro.zone, backend: MemoryBackend(zones: [Pomodoro.zone]),
      store: store, clock: StandingClock())
    await session.start()
    for _ in 0..<3 { await session.foreground() }
    // The time does not advance, so after 1,000 turns everything that is due has happened.
    for _ in 0..<1000 { _ = await session.status() }
    #expect(store.attempts == 4)
    await session.stop()
  }

  @Test func `V23: a restored copy of a shared file is detected, regardless of later writes to it`() async throws {
    let folder = try Folder()
    let (path, copy) = (folder.file("shared.sqlite"), folder.file("copy.sqlite"))
    let zones = [Pomodoro.zone]
    let mac = DeviceID(stem: "mac", random: 1)
    func write(_ numbers: ClosedRange<Int64>, _ backend: SQLiteBackend) async throws {
      for number in numbers {
        let write = Write(
          timer: Dot(device: mac, number: number), milliseconds: 1, state: TimerState(kind: .focus))
        let operation = RecordOperation(key: Pomodoro.timer, expectedVersion: number - 1, change: .write(write))
        _ = try await backend.commit([operation], zone: Pomodoro.zone)
      }
    }
    func page(_ cursor: SyncCore.Cursor?, _ backend: SQLiteBackend) async throws -> ChangePage {
      try await backend.changes(zone: Pomodoro.zone, since: cursor, limit: 9, maximumBytes: 9999)
    }
    let before = try SQLiteBackend(path: path, zones: zones)
    _ = try await before.commit(Pomodoro.naming(atMilliseconds: 1), zone: Pomodoro.zone)
    try await write(1...3, before)
    let kept = try await page(nil, before).cursor
    try before.close()
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    let lost = try SQLiteBackend(path: path, zones: zones)
    try await write(4...5, lost)
    let gone = try await page(kept, lost).cursor
    try lost.close()
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: copy, toPath: path)
    let after = try SQLiteBackend(path: path, zones: zones)
    try await write(4...9, after)
    #expect(try await page(kept, after).records.count == 1)
    await #expect(throws: BackendError.cursorExpired) { try await page(gone, after) }
    try after.close()
  }

  @Test func `a device's file cannot be opened for another zone`() async throws {
    let folder = try Folder()
    let store = try SQLiteReplicaStore(path: folder.file("mac.sqlite"))
    let zones = ["a", "b"]
    func open(_ zone: String) async throws -> SyncSession {
      try await SyncSession.open(
        device: "mac", zone: zone, backend: MemoryBackend(zones: zones), store: store)
    }
    let session = try await open("a")
    await session.start()
    await session.stop()
    await #expect(throws: ReplicaError.otherZone(found: "a", asked: "b")) { _ = try await open("b") }
    _ = try await open("a")
  }

  @Test func `a newer file, a file of another kind and a path in a missing folder are refused with a reason`()
    async throws
  {
    let stray = folder.file("stray.sqlite")
    try Data("this is not a database, and it is long enough to be looked at as one".utf8).write(
      to: URL(fileURLWithPath: stray))
    #expect { try SQLiteBackend(path: stray, zones: []) } throws: { "\($0)".contains("is no SQLite file") }
    #expect { try SQLiteReplicaStore(path: stray) } throws: { "\($0)".contains("is no SQLite file") }
    #expect(try String(contentsOfFile: stray, encoding: .utf8).hasPrefix("this is not a database"))
    let newer = folder.file("newer.sqlite")
    try SQLiteConnection(newer).execute("PRAGMA user_version = 99")
    #expect { try SQLiteBackend(path: newer, zones: []) } throws: { "\($0)".contains("update flowrun") }
    #expect { try SQLiteReplicaStore(path: folder.file("no/such/folder.sqlite")) } throws: {
      "\($0)".contains("cannot be opened")
    }
  }

  @Test func `a record of a newer version pauses the device with advice to update, and the outbox keeps its changes`()
    async throws
  {
    let shared = try backend()
    let now = try await shared.serverTime()
    _ = try await shared.commit(Pomodoro.naming(atMilliseconds: now), zone: Pomodoro.zone)
    try SQLiteConnection(folder.file("shared.sqlite")).execute("UPDATE record SET cell = x'0D00'")
    let mac = try await session("mac")
    try await focus(mac)
    #expect(await mac.wait(milliseconds: 60_000) { $0.pausedBecause != nil })
    #expect("\(String(describing: await mac.status().pausedBecause))".contains("update flowrun"))
    #expect(await mac.machine.replica.outbox.contains { $0.key == Pomodoro.timer })
    await mac.stop()
  }
}
