import FlowModel
import FlowPluginKit
import SyncCore
import SyncDevice
import SyncEngine
import SyncRecords
import SyncSQLite

extension SyncReports {
  /// Returns the parked changes in a device's file, as objects and as lines of text. Returns nil if the file has not
  /// been used yet.
  package static func parked(file: String) async throws -> [(value: ValueObject, line: String)]? {
    let store = try SQLiteReplicaStore(path: file, isReadOnly: true)
    defer { try? store.close() }
    guard let replica = try Replica(stored: try await store.load(), limits: nil) else { return nil }
    return SyncStatus(of: replica, atMilliseconds: SystemClock().nowMilliseconds()).parked.map { ($0.value, $0.line) }
  }

  /// Marks one parked change, or all if `position` is nil, to be sent by the next run. Returns the number of marked
  /// changes.
  package static func retry(file: String, position: Int64?) async throws -> Int {
    try await change(file: file, position: position) { .retried(position: $0) }
  }

  /// Discards one parked change, or all if `position` is nil. Returns the number of discarded changes.
  package static func discard(file: String, position: Int64?) async throws -> Int {
    try await change(file: file, position: position) { .discarded(position: $0) }
  }

  /// Returns the zone's devices from a device's file, as objects and as lines of text. Returns nil if the file has not
  /// been used yet.
  package static func devices(file: String) async throws -> [(value: ValueObject, line: String)]? {
    let store = try SQLiteReplicaStore(path: file, isReadOnly: true)
    defer { try? store.close() }
    guard let replica = try Replica(stored: try await store.load(), limits: nil) else { return nil }
    let now = SystemClock().nowMilliseconds() + replica.skewMilliseconds
    return replica.devices.map { device, info in
      let isRetired = replica.isRetired(device)
      let value = ValueObject([
        ("device", .string(device)), ("name", .string(info.deviceName)), ("isRetired", .boolean(isRetired)),
        ("lastSeenMilliseconds", .integer(Int(info.lastSeen))),
      ])
      let seen = isRetired ? "retired" : "connected \(max(0, now - info.lastSeen) / 1000) s ago"
      return (value, "\(device)  \(info.platform), version \(info.appVersion), \(seen)")
    }
  }

  /// Marks a device to be retired by the next run and returns its identity.
  package static func retire(_ name: String, file: String) async throws -> String {
    try await withMachine(file: file) { machine, store in
      let device = try machine.replica.device(named: name)
      try await save(.retired(device), &machine, store)
      return device.name
    }
  }

  private static func change(
    file: String, position: Int64?, _ event: (Int64) -> SyncMachine.Event
  ) async throws -> Int {
    try await withMachine(file: file) { machine, store in
      let parked = SyncStatus(of: machine.replica, atMilliseconds: 0).parked.map(\.position)
      if let position, !parked.contains(position) {
        throw ActionError(Failure.input.code, "no change with the number \(position) is parked in '\(file)'")
      }
      let wanted = position.map { [$0] } ?? parked
      for position in wanted { try await save(event(position), &machine, store) }
      return wanted.count
    }
  }

  /// True if a device's file has content. Does not change the file.
  private static func isUsed(_ file: String) async throws -> Bool {
    let store = try SQLiteReplicaStore(path: file, isReadOnly: true)
    defer { try? store.close() }
    return try await !store.load().isEmpty
  }

  private static func withMachine<Value>(
    file: String, _ body: (inout SyncMachine, SQLiteReplicaStore) async throws -> Value
  ) async throws -> Value {
    guard try await isUsed(file) else {
      throw ActionError(Failure.input.code, "'\(file)' is empty: its device has not started yet, and it holds no data")
    }
    let store = try SQLiteReplicaStore(path: file)
    defer { try? store.close() }
    guard let replica = try Replica(stored: try await store.load(), limits: nil) else {
      throw ActionError(Failure.input.code, "'\(file)' has not been used yet")
    }
    var machine = SyncMachine(replica: replica, seed: 0)
    if let schema = RecordSchema(shown: try store.shownTables(), in: machine) {
      var settings = SyncSettings()
      settings.projection = SchemaProjection(schema)
      machine = SyncMachine(replica: replica, settings: settings, seed: 0)
    } else {
      try await store.save([SQLiteReplicaStore.showsAnew])
    }
    return try await body(&machine, store)
  }

  /// Performs the saves of an event. A machine that has not been started sends nothing, so it has no other effects.
  private static func save(
    _ event: SyncMachine.Event, _ machine: inout SyncMachine, _ store: SQLiteReplicaStore
  ) async throws {
    for case .save(let changes) in machine.handle(event, atMilliseconds: SystemClock().nowMilliseconds()) {
      try await store.save(changes)
    }
  }
}
