import FlowSQLite
import Foundation
import SyncCore
import SyncEngine
import SyncPomodoro
import SyncSQLite
import Testing

/// Files of earlier versions and of other programs. Formats from before the first release are refused with their
/// number, and later ones are upgraded. Refused files are left unchanged.
struct RemovedFormatTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  /// Returns the contents of a file and of its write-ahead log.
  private func bytes(_ path: String) -> [Data?] {
    ["", "-wal"].map { FileManager.default.contents(atPath: path + $0) }.map { $0?.isEmpty == true ? nil : $0 }
  }

  @Test(arguments: 1...8)
  func `a shared file in an unsupported format is refused and left unchanged`(_ format: Int) throws {
    let path = folder.file("shared.sqlite")
    try SQLiteBackend(path: path, zones: [Pomodoro.zone]).close()
    try SQLiteConnection(path).execute("PRAGMA user_version = \(format)")
    let before = bytes(path)
    #expect {
      try SQLiteBackend(path: path, zones: [Pomodoro.zone])
    } throws: {
      "\($0)".contains("it has format \(format)") && "\($0)".contains("move it away")
    }
    #expect(bytes(path) == before)
  }

  @Test(arguments: [
    ("CREATE TABLE replica (key TEXT); PRAGMA user_version = 1", "a device's own file"),
    ("CREATE TABLE bookmark (title TEXT)", "another program"),
    ("CREATE TABLE bookmark (title TEXT); PRAGMA user_version = 10", "another program"),
  ])
  func `an SQLite file that is not a shared file is refused and left unchanged`(sql: String, problem: String) throws {
    let path = folder.file("other.sqlite")
    try SQLiteConnection(path).execute(sql)
    let before = bytes(path)
    #expect {
      try SQLiteBackend(path: path, zones: [Pomodoro.zone])
    } throws: {
      "\($0)".contains(problem) && "\($0)".contains("name another file")
    }
    #expect(bytes(path) == before)
  }

  @Test func `a shared file without an identity gets one when it is opened, and keeps it`() async throws {
    let path = folder.file("shared.sqlite")
    try SQLiteBackend(path: path, zones: [Pomodoro.zone]).close()
    try SQLiteConnection(path).execute("DROP TABLE store; PRAGMA user_version = 9")
    let opened = try SQLiteBackend(path: path, zones: [Pomodoro.zone])
    let identity = try await opened.identity()
    try opened.close()
    #expect(try await SQLiteBackend(path: path, zones: [Pomodoro.zone]).identity() == identity)
  }

  @Test func `a shared file of format 10 is upgraded to format 11 when it is opened`() throws {
    let path = folder.file("shared.sqlite")
    try SQLiteBackend(path: path, zones: [Pomodoro.zone]).close()
    #expect(try SQLiteConnection(path).integer("PRAGMA user_version") == 11)
    // Format 10 has the same tables as the current format.
    try SQLiteConnection(path).execute("PRAGMA user_version = 10")
    try SQLiteBackend(path: path, zones: [Pomodoro.zone]).close()
    #expect(try SQLiteConnection(path).integer("PRAGMA user_version") == 11)
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt8])
  func `a device's file in an unsupported format is refused and left unchanged`(_ format: UInt8) async throws {
    let path = folder.file("mac.sqlite")
    let store = try SQLiteReplicaStore(path: path)
    let session = try await SyncSession.open(
      device: "mac", zone: Pomodoro.zone, backend: MemoryBackend(zones: [Pomodoro.zone]), store: store)
    await session.start()
    await session.stop()
    try store.close()
    let connection = try SQLiteConnection(path)
    let identity = try #require(
      try connection.first("SELECT value FROM replica WHERE key = 'identity'", []) { $0.bytes(0) })
    try connection.run(
      "UPDATE replica SET value = ? WHERE key = 'identity'", [.bytes([format] + identity.dropFirst())])
    connection.close()
    let before = bytes(path)
    #expect(throws: ReplicaError.removedFormat(found: format, oldest: Replica.oldestFormat)) {
      try SQLiteReplicaStore(path: path)
    }
    #expect(bytes(path) == before)
  }
}
