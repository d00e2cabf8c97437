import Foundation
import SyncTestKit
import SyncCore
import SyncEngine
import SyncPomodoro
import SyncSQLite
import Testing

/// The conformance suite for backends (V16, M4, M12, S10, S11).
struct ConformanceTests {
  @Test(.timeLimit(.minutes(10))) func `the backend in memory passes the conformance suite`() async {
    let failures = await BackendConformance.run { zone in MemoryBackend(zones: [zone]) }
    #expect(failures == [])
    #expect(BackendConformance.count == 36)
  }

  @Test(.timeLimit(.minutes(10))) func `the backend in a SQLite file passes the conformance suite`() async throws {
    let folder = try Folder()
    let failures = await BackendConformance.run { zone in
      try SQLiteBackend(path: folder.file("shared.sqlite"), zones: [zone])
    }
    #expect(failures == [])
  }
}

/// A temporary folder that is removed with this object.
final class Folder: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "sync-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { "\(path)/\(name)" }
}
