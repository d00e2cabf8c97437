import struct Foundation.Data
import GRDB
import SyncEngine

/// The device's own file in SQLite: one table of keys and values.
public struct SQLiteReplicaStore: ReplicaStore {
  private let queue: DatabaseQueue
  private let path: String

  /// Opens the file, and makes it when it is not there. Throws `ReplicaError.storage` when it cannot be used.
  ///
  /// Read only it makes nothing and changes nothing: for looking at a file that another process may be using.
  public init(path: String, isReadOnly: Bool = false) throws(ReplicaError) {
    self.path = path
    do {
      if isReadOnly {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        queue = try DatabaseQueue(path: path, configuration: configuration)
        return
      }
      queue = try DatabaseQueue(path: path, configuration: SQLiteFailure.configuration())
      try SQLiteFailure.migrate(
        queue, schemas: ["CREATE TABLE replica (key TEXT NOT NULL PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"])
    } catch {
      throw .storage(SQLiteFailure.text(error, path: path))
    }
  }

  /// Everything but the journal, which is for people.
  public func load() async throws(ReplicaError) -> [String: [UInt8]] {
    do {
      return try await queue.read { database in
        var stored: [String: [UInt8]] = [:]
        let rows = try Row.fetchCursor(
          database, sql: "SELECT key, value FROM replica WHERE key NOT LIKE 'journal/%'")
        while let row = try rows.next() {
          let (key, value): (String, Data) = (row[0], row[1])
          stored[key] = Array(value)
        }
        return stored
      }
    } catch {
      throw .storage(SQLiteFailure.text(error, path: path))
    }
  }

  /// Makes the changes in one transaction.
  public func save(_ changes: [StoreChange]) async throws(ReplicaError) {
    do {
      try await queue.write { database in
        let insert = try database.cachedStatement(
          sql: "INSERT INTO replica VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value")
        let delete = try database.cachedStatement(sql: "DELETE FROM replica WHERE key = ?")
        for change in changes {
          if let value = change.value {
            try insert.execute(arguments: [change.key, Data(value)])
          } else {
            try delete.execute(arguments: [change.key])
          }
        }
      }
    } catch {
      throw .storage(SQLiteFailure.text(error, path: path))
    }
  }

  /// Closes the file; nothing can be saved after that.
  public func close() throws { try queue.close() }
}
