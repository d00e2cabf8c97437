import SyncCore
import SyncEngine

/// The checks of the store's identity: changes for another store must be refused.
extension BackendConformance {
  static let store: Body = { backend, zone in
    let now = try await backend.serverTime()
    let own = try await backend.identity()
    let page = try await backend.changes(zone: zone, since: nil, limit: 9, maximumBytes: 1 << 20)
    try expect(page.store == own, "a page names the store", "\(page.store), not \(own)")
    let reply = try await backend.commit(
      [operation(write(1, at: now), expected: 0)], zone: zone, heard: nil, store: own)
    try expect(reply.lastSequence != nil, "a commit for this store is taken", "\(reply)")
    let before = try await backend.changes(zone: zone, since: nil, limit: 9, maximumBytes: 1 << 20)
    let other = StoreIdentity(number: 1)
    try await expectOther(own, "a commit for another store") {
      _ = try await backend.commit([deviceRecord(1, at: now)], zone: zone, heard: nil, store: other)
    }
    try await expectOther(own, "a reader of another store") {
      _ = try await backend.changes(
        zone: zone, since: nil, limit: 9, maximumBytes: 1 << 20, reader: .nobody, of: nil, store: other)
    }
    try await expectOther(own, "a watcher of another store") {
      for try await _ in backend.watch(zone: zone, device: device(1), store: other) { return }
    }
    let after = try await backend.changes(zone: zone, since: nil, limit: 9, maximumBytes: 1 << 20)
    try expect(after.records == before.records, "what is for another store changes nothing", "\(after.records)")
    for try await sign in backend.watch(zone: zone, device: device(1), store: own) {
      try expect(sign.cursor == after.cursor, "a watcher of this store is notified", "\(sign)")
      return
    }
  }

  private static func expectOther(_ own: StoreIdentity, _ what: String, _ body: () async throws -> Void) async throws {
    do {
      try await body()
      throw Failure(rule: "\(what) is refused with this store's identity", seen: "no error")
    } catch let error as BackendError {
      try expect(error == .otherStore(own), "\(what) is refused with this store's identity", "\(error)")
    }
  }
}
