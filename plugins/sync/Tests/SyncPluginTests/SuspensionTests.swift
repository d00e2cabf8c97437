import FlowModel
import FlowPluginKit
import FlowTestKit
import Foundation
import SyncDevice
import SyncSQLite
import Testing

@testable import SyncPlugin

/// The files of an app while it is in the background.
@Suite(.timeLimit(.minutes(10))) struct `Sync connections of a suspended app` {
  private let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "sync-suspension-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  private func host(_ plugin: SyncPlugin) -> TestHost {
    let handles = Dictionary(uniqueKeysWithValues: plugin.handles.map { ($0.key, $0.handle) })
    return TestHost(dataFolder: folder, workflowFolder: folder, handles: handles)
  }

  private func suspendable(_ plugin: SyncPlugin) throws -> any SuspendableHandle {
    try #require(plugin.handles.compactMap { $0.handle as? any SuspendableHandle }.first)
  }

  private var file: String { "\(folder)/sync-phone.sqlite" }

  @Test func `sync connections release their files in the background, and lock them again in the foreground`()
    async throws
  {
    let plugin = SyncPlugin()
    let host = host(plugin)
    _ = try await host.call(Connect.self, with: ["device": "phone"])
    let connections = try suspendable(plugin)
    await connections.suspend()
    let lock = try #require(FileHandle(forUpdatingAtPath: file + ".lock"))
    #expect(flock(lock.fileDescriptor, LOCK_EX | LOCK_NB) == 0)
    try lock.close()
    try await connections.reactivate()
    #expect(throws: (any Error).self) { try SQLiteReplicaStore(path: file) }
    _ = try await host.call(Flush.self, with: [:])
    try host.closeHandles()
    // A connection that was closed is not opened again.
    await connections.suspend()
    try await connections.reactivate()
    try SQLiteReplicaStore(path: file).close()
  }

  @Test func `sync actions report the process that opened the device's file during a suspension`() async throws {
    let plugin = SyncPlugin()
    let host = host(plugin)
    _ = try await host.call(Connect.self, with: ["device": "phone"])
    let connections = try suspendable(plugin)
    await connections.suspend()
    let other = try SQLiteReplicaStore(path: file)
    await #expect(throws: (any Error).self) { try await connections.reactivate() }
    do {
      _ = try await host.call(Flush.self, with: [:])
      Issue.record("a flush without a file succeeded")
    } catch let error as ActionError {
      #expect(error.code == "sync-in-use")
      #expect(error.message.contains("in use by process"))
    }
    try other.close()
    try? host.closeHandles()
  }
}
