import FlowSQLite
import FlowPlatform
import SyncEngine

/// The device's own file as a SQLite database with a table of keys and values.
public struct SQLiteReplicaStore: ReplicaStore {
  let queue: SQLiteQueue
  let path: String
  /// The lock that is held while the file is open for writing. Nil if the file is only read or in memory.
  private let lock: FileLock?
  /// False if the file was opened only for reading and has no tables yet.
  private let hasBegun: Bool

  /// Opens the file for this process alone, or creates it if it is missing.
  ///
  /// Throws `ReplicaError.storage` if the file cannot be used, `ReplicaError.inUse` if it is already open for writing,
  /// and `ReplicaError.removedFormat` if its format is too old.
  ///
  /// In read-only mode, the file is neither created nor changed, so it can be inspected while another process uses it.
  public init(path: String, isReadOnly: Bool = false) throws(ReplicaError) {
    self.path = path
    if FilePath.isFolder(path) { throw .storage("'\(path)' is a folder, and a device's own file is wanted") }
    let isFile = path != ":memory:"
    if !isReadOnly, isFile, FilePath.isFile(path), let format = Self.identity(of: path)?.first,
      (1..<Replica.oldestFormat).contains(format)
    {
      throw .removedFormat(found: format, oldest: Replica.oldestFormat)
    }
    lock = isReadOnly || !isFile ? nil : try FileLock(of: path)
    do {
      if isReadOnly {
        queue = try SQLiteQueue(path, .readOnly, busyMilliseconds: SQLiteFailure.busyMilliseconds)
        hasBegun = try queue.sync { try Self.hasBegun($0) }
        return
      }
      if isFile { FileLock.make(path) }
      queue = try SQLiteFailure.open(path)
      try queue.sync { database in
        _ = try Self.hasBegun(database)
        try database.migrate(Self.schemas)
      }
      hasBegun = true
    } catch {
      throw .storage(SQLiteFailure.text(error, path: path))
    }
  }

  private static let schemas = [
    "CREATE TABLE replica (key TEXT NOT NULL PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"
  ]

  /// True if the file has tables. It has none if the device was killed while it created the file. Throws if the file
  /// belongs to another program or a newer version.
  private static func hasBegun(_ database: SQLiteConnection) throws -> Bool {
    try database.snapshot {
      let found = try database.integer("PRAGMA user_version") ?? 0
      let hasTable = try database.hasTable("replica")
      let others = try database.integer("SELECT count(*) FROM sqlite_schema") ?? 0
      if !hasTable, others > 0 { throw ForeignFile() }
      if found > schemas.count { throw SQLiteFailure.NewerVersion(found: found, known: schemas.count) }
      return hasTable
    }
  }

  private struct ForeignFile: Error, CustomStringConvertible {
    var description: String { "it is a SQLite file and no device's own; name another" }
  }

  /// Returns the zone in a device's file, or nil if it has none yet or cannot be read.
  package static func zone(of path: String) -> String? {
    value("zone", of: path).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the packed identity in a device's file. Returns nil if it has none yet, belongs to another program or
  /// cannot be read.
  package static func identity(of path: String) -> [UInt8]? { value("identity", of: path) }

  /// Returns the store binding in a device's file. Returns nil if it has none yet, belongs to another program or cannot
  /// be read.
  package static func binding(of path: String) -> StoreBinding? {
    value(Replica.storeKey, of: path).flatMap { try? StoreBinding(packed: $0) }
  }

  private static func value(_ key: String, of path: String) -> [UInt8]? {
    guard let store = try? SQLiteReplicaStore(path: path, isReadOnly: true) else { return nil }
    defer { try? store.close() }
    guard store.hasBegun else { return nil }
    return try? store.queue.sync { try value(key, $0) }
  }

  static func value(_ key: String, _ database: SQLiteConnection) throws -> [UInt8]? {
    try database.first("SELECT value FROM replica WHERE key = ?", [.text(key)]) { $0.bytes(0) }
  }

  /// Loads everything that the replica needs, which excludes the journal and the definitions of tables with rows.
  public func load() async throws(ReplicaError) -> [String: [UInt8]] {
    if !hasBegun { return [:] }
    do {
      return try await queue.perform { database in
        try database.query("SELECT key, value FROM replica WHERE key NOT LIKE 'journal/%' AND key <> 'shown'") { rows in
          var stored: [String: [UInt8]] = [:]
          while try rows.next() { stored[rows.text(0)] = rows.bytes(1) }
          return stored
        }
      }
    } catch {
      throw .storage(SQLiteFailure.text(error, path: path))
    }
  }

  /// Saves the changes in one transaction; see `ReplicaStore`.
  public func save(_ changes: [StoreChange], isDurable: Bool) async throws(ReplicaError) {
    do {
      try await queue.perform { [lock, path] database in
        guard lock?.isHeld ?? true else {
          throw ReplicaError.storage("'\(path)' is released while the app is in the background")
        }
        // With a write-ahead log, a transaction that is not durable reaches the disk together with the next durable
        // one.
        try database.execute("PRAGMA synchronous = \(isDurable ? "FULL" : "NORMAL")")
        try database.transaction { try Self.save(changes, database) }
      }
    } catch let error as ReplicaError {
      throw error
    } catch {
      throw .storage(SQLiteFailure.text(error, path: path))
    }
  }

  private static func save(_ changes: [StoreChange], _ database: SQLiteConnection) throws {
    let insert = "INSERT INTO replica VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
    for change in changes {
      if change.key.hasPrefix(StoreChange.shownPrefix) {
        try Self.show(change, database)
      } else if let value = change.value {
        try database.run(insert, [.text(change.key), .bytes(value)])
      } else {
        try database.run("DELETE FROM replica WHERE key = ?", [.text(change.key)])
      }
    }
  }

  /// Releases the lock of the file after a running ``save(_:isDurable:)``. iOS terminates a suspended app that holds a
  /// lock on a file in the folder of an app group.
  public func suspend() async {
    try? await queue.perform { _ in }
    // The log may still be copied.
    try? queue.sync { _ in }
    lock?.release()
  }

  /// Locks the file again. Throws if another process holds the lock or has held it since ``suspend()``.
  public func reactivate() async throws(ReplicaError) { try lock?.retake() }

  /// Closes the file. Nothing can be saved afterwards.
  public func close() throws {
    defer { lock?.release() }
    queue.close()
  }
}
