import Foundation
import GRDB
import SyncCore
import SyncEngine
import SyncPomodoro
import SyncStorage
import Testing

/// Running devices on real files.
@Suite(.timeLimit(.minutes(1))) struct SessionTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func backend() throws -> SQLiteBackend {
    try SQLiteBackend(path: folder.file("shared.sqlite"), zones: [PomodoroPolicy.zone: PomodoroPolicy()])
  }

  private func session(_ device: String) async throws -> SyncSession {
    let session = try await SyncSession.open(
      device: device, zone: PomodoroPolicy.zone, backend: try backend(),
      store: try SQLiteReplicaStore(path: folder.file("\(device).sqlite")), policy: PomodoroPolicy())
    await session.start()
    return session
  }

  private func focus(_ session: SyncSession, completed: Int64 = 0) async throws {
    try await session.act(
      PomodoroPolicy.timer,
      .init(
        payload: TimerState(kind: .focus, remainingMilliseconds: 1_500_000).payload, tally: .add(completed)))
  }

  private static func kind(_ machine: SyncMachine) -> TimerKind? {
    TimerStateRecord(cell: machine.view(of: PomodoroPolicy.timer))?.state.kind
  }

  @Test func `S1 S39 two devices on one file see each other's changes, both ways`() async throws {
    let (mac, phone) = (try await session("mac"), try await session("phone"))
    try await focus(mac, completed: 1)
    #expect(await phone.wait(milliseconds: 5000) { Self.kind($0) == .focus })
    try await phone.act(PomodoroPolicy.timer, .init(payload: TimerState(kind: .idle).payload, tally: .add(1)))
    #expect(await mac.wait(milliseconds: 5000) { Self.kind($0) == .idle })
    #expect(await mac.machine.view(of: PomodoroPolicy.timer).tally.count == 2)
    #expect(await mac.status().statistics.conflicts[.causal] == 1)
    await mac.stop()
    await phone.stop()
  }

  @Test func `S32 S35 what is done offline is on the disk, and is sent by the next process`() async throws {
    let before = try await session("mac")
    await before.setOnline(false)
    try await focus(before, completed: 1)
    await before.stop()
    let after = try await session("mac")
    #expect(await after.wait(milliseconds: 5000) { $0.isFlushed })
    let page = try await backend().changes(zone: PomodoroPolicy.zone, since: nil, limit: 9, maximumBytes: 9999)
    #expect(page.records.first?.cell.tally.count == 1)
    #expect(await after.machine.replica.device == before.machine.replica.device)
    await after.stop()
  }

  @Test func `S28 a device keeps its identity, and two devices of one name have two`() async throws {
    let store = MemoryReplicaStore()
    var names: Set<String> = []
    for _ in 0..<2 {
      let one = try await SyncSession.open(
        device: "mac", zone: PomodoroPolicy.zone, backend: try backend(), store: store, policy: PomodoroPolicy())
      await one.start()
      names.insert(await one.machine.replica.device.name)
      await one.stop()
    }
    #expect(names.count == 1)
    let other = try await session("mac")
    #expect(!names.contains(await other.machine.replica.device.name))
    await other.stop()
  }

  @Test func `a full disk: the action is refused, the one before it is kept, and what fits later is taken`()
    async throws
  {
    let store = MemoryReplicaStore()
    let one = try await SyncSession.open(
      device: "mac", zone: PomodoroPolicy.zone, backend: try backend(), store: store, policy: PomodoroPolicy())
    await one.start()
    try await focus(one, completed: 1)
    store.isFull = true
    await #expect(throws: ReplicaError.self) { try await focus(one, completed: 1) }
    #expect(await one.machine.view(of: PomodoroPolicy.timer).tally.count == 1)
    store.isFull = false
    try await focus(one, completed: 1)
    #expect(await one.machine.view(of: PomodoroPolicy.timer).tally.count == 2)
    #expect(await one.wait(milliseconds: 9000) { $0.isFlushed })
    await one.stop()
  }

  @Test func `a shared file that is none of ours, or damaged, or newer, is named and left alone`() async throws {
    let stray = folder.file("stray.sqlite")
    try Data("this is no database, and it is long enough to be looked at as one".utf8).write(
      to: URL(fileURLWithPath: stray))
    #expect { try SQLiteBackend(path: stray, zones: [:]) } throws: { "\($0)".contains("is no SQLite file") }
    #expect { try SQLiteReplicaStore(path: stray) } throws: { "\($0)".contains("is no SQLite file") }
    #expect(try String(contentsOfFile: stray, encoding: .utf8).hasPrefix("this is no database"))
    let newer = folder.file("newer.sqlite")
    let queue = try DatabaseQueue(path: newer)
    try await queue.write { try $0.execute(sql: "PRAGMA user_version = 9") }
    try queue.close()
    #expect { try SQLiteBackend(path: newer, zones: [:]) } throws: { "\($0)".contains("update flowrun") }
    #expect { try SQLiteReplicaStore(path: folder.file("no/such/folder.sqlite")) } throws: {
      "\($0)".contains("cannot be opened")
    }
  }

  @Test func `a record of the future stops the device with a clear error and keeps its outbox`() async throws {
    let shared = try backend()
    let now = try await shared.serverTime()
    _ = try await shared.commit(
      [
        Operation(
          key: PomodoroPolicy.timer, expectedVersion: 0,
          change: .write(
            Write(
              dot: Dot(device: DeviceID(stem: "new", random: 1), number: 1), milliseconds: now,
              payload: TimerState(kind: .idle).payload)))
      ], zone: PomodoroPolicy.zone)
    let queue = try DatabaseQueue(path: folder.file("shared.sqlite"))
    try await queue.write { try $0.execute(sql: "UPDATE record SET cell = x'0700'") }
    try queue.close()
    let mac = try await session("mac")
    try await focus(mac)
    #expect(await mac.wait(milliseconds: 5000) { $0.pausedBecause != nil })
    #expect("\(String(describing: await mac.status().pausedBecause))".contains("update flowrun"))
    #expect(await mac.status().outboxDepth == 1)
    await mac.stop()
  }
}
