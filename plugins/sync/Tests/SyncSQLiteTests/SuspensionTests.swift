import Foundation
import SyncCore
import SyncEngine
import SyncPomodoro
import SyncSQLite
import Synchronization
import Testing

/// A session of an app that goes to the background and comes back (S32, S45).
@Suite(.timeLimit(.minutes(10))) struct `A sync session in the background` {
  private let folder: Folder
  private let path: String
  private let notices = Notices()

  /// The failures that a session reported.
  private final class Notices: Sendable {
    private let texts = Mutex<[String]>([])
    var all: [String] { texts.withLock { $0 } }
    func append(_ text: String) { texts.withLock { $0.append(text) } }
  }

  init() throws {
    folder = try Folder()
    path = folder.file("phone.sqlite")
  }

  private func session(_ store: any ReplicaStore) async throws -> SyncSession {
    let backend = try SQLiteBackend(path: folder.file("shared.sqlite"), zones: [Pomodoro.zone])
    let session = try await SyncSession.open(device: "phone", zone: Pomodoro.zone, backend: backend, store: store) {
      [notices] notice, _ in
      if case .failed(let error) = notice { notices.append("\(error)") }
    }
    try await session.declare(Pomodoro.schema)
    await session.start()
    #expect(await session.wait(milliseconds: 60_000) { $0.completedPulls > 0 && $0.isFlushed })
    return session
  }

  private func count(_ session: SyncSession, _ completed: Int64) async throws {
    try await session.act(Pomodoro.timer, .edit(TimerState(kind: .focus).edit(completing: completed)))
  }

  private static func completed(_ session: SyncSession) async -> Int64 {
    TimerStateRecord.completed(in: await session.machine.view(of: Pomodoro.timer))
  }

  @Test func `a suspended sync session closes its file, and actions wait until it is reactivated`() async throws {
    let store = try SQLiteReplicaStore(path: path)
    let phone = try await session(store)
    await phone.suspend()
    await #expect(throws: ReplicaError.self) { try await store.save([StoreChange(key: "x", value: [1])]) }
    let action = Task { try await self.count(phone, 1) }
    while await phone.waitingEvents == 0 { await Task.yield() }
    #expect(await Self.completed(phone) == 0)
    try await phone.reactivate()
    try await action.value
    #expect(await Self.completed(phone) == 1)
    #expect(throws: ReplicaError.self) { try SQLiteReplicaStore(path: path) }
    #expect(notices.all == [])
    await phone.stop()
    try store.close()
    let again = try SQLiteReplicaStore(path: path)
    let next = try await session(again)
    #expect(await Self.completed(next) == 1)
    await next.stop()
    try again.close()
  }

  @Test func `a sync session reports that another process is using its file, and writes nothing more`() async throws {
    let store = try SQLiteReplicaStore(path: path)
    let phone = try await session(store)
    await phone.suspend()
    let action = Task { try await self.count(phone, 1) }
    while await phone.waitingEvents == 0 { await Task.yield() }
    let other = try SQLiteReplicaStore(path: path)
    let before = try await other.load()
    let inUse = ReplicaError.inUse(by: "process \(ProcessInfo.processInfo.processIdentifier)")
    await #expect(throws: inUse) { try await phone.reactivate() }
    await #expect(throws: inUse) { try await action.value }
    await #expect(throws: inUse) { try await self.count(phone, 1) }
    #expect(notices.all.count == 1)
    await #expect(throws: ReplicaError.self) { try await store.save([StoreChange(key: "x", value: [1])]) }
    #expect(try await other.load() == before)
    try other.close()
    try store.close()
  }

  @Test func `a sync session reports that another process used its file while it was suspended`() async throws {
    let store = try SQLiteReplicaStore(path: path)
    let phone = try await session(store)
    await phone.suspend()
    let other = try SQLiteReplicaStore(path: path)
    try await other.save([StoreChange(key: "x", value: [1])])
    try other.close()
    let process = "process \(ProcessInfo.processInfo.processIdentifier)"
    await #expect {
      try await phone.reactivate()
    } throws: { error in
      "\(error)".contains("\(process) has used '\(path)' while this app was in the background")
    }
    await #expect(throws: ReplicaError.self) { try await self.count(phone, 1) }
    try store.close()
    // The file can be opened again.
    try SQLiteReplicaStore(path: path).close()
  }

  @Test func `a sync session is reactivated without loss, even if it was suspended twice`() async throws {
    let store = try SQLiteReplicaStore(path: path)
    let phone = try await session(store)
    try await phone.reactivate()
    for _ in 1...3 {
      await phone.suspend()
      await phone.suspend()
      try await phone.reactivate()
    }
    try await count(phone, 2)
    #expect(await Self.completed(phone) == 2)
    #expect(notices.all == [])
    await phone.stop()
    try store.close()
  }

  @Test func `a suspended sync session refuses waiting actions when it is stopped`() async throws {
    let phone = try await session(MemoryReplicaStore())
    await phone.suspend()
    let action = Task { try await self.count(phone, 1) }
    while await phone.waitingEvents == 0 { await Task.yield() }
    await phone.stop()
    await #expect(throws: ReplicaError.self) { try await action.value }
  }

  @Test func `a sync session is suspended only after the current save has ended`() async throws {
    let gate = MemoryReplicaStore.Gate()
    let store = MemoryReplicaStore(gate: gate)
    let opening = Task { try await self.session(store) }
    while store.attempts == 0 { await Task.yield() }
    await gate.open()
    let phone = try await opening.value
    let action = Task { try await self.count(phone, 1) }
    await phone.suspend()
    let attempts = store.attempts
    for _ in 0..<100 { await Task.yield() }
    #expect(store.attempts == attempts)
    try await phone.reactivate()
    try await action.value
    await phone.stop()
  }
}
