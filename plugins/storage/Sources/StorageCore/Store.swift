import FlowModel
import FlowPluginKit
import FlowSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An open SQLite store. Steps receive it as the handle `database`.
///
/// It can be used from any thread. The only state is the pool, which runs readers and one writer concurrently.
package final class Store: Sendable {
  /// The path of the database file, for further connections and for messages.
  package let path: String
  /// The connections for reading and writing the store.
  package let pool: SQLitePool

  private init(path: String, pool: SQLitePool) {
    self.path = path
    self.pool = pool
  }

  /// The result of opening a store. `appliedMigrations` contains the migrations applied by this call.
  package struct Opening {
    package var store: Store
    package var isCreated: Bool
    package var appliedMigrations: [String]
  }

  /// The options for opening a store.
  package struct Options {
    /// The caller's migrations, in the order in which they are applied.
    var migrations: [FileMigration]
    /// The time to wait if another process has locked the store.
    var lockTimeout: Duration

    /// Creates options. By default, only the store's own migration is applied.
    package init(migrations: [FileMigration] = [], lockTimeout: Duration = .seconds(1)) {
      self.migrations = migrations
      self.lockTimeout = lockTimeout
    }

    fileprivate var lockMilliseconds: Int { lockTimeout.nanoseconds / 1_000_000 }
  }

  /// Opens the store at `path`. Creates its file, folders and tables if they are missing.
  ///
  /// If that fails, throws an ``ActionError`` with one of the codes of ``StoreFailure`` and leaves the contents of an
  /// existing store unchanged.
  package static func open(at path: String, _ options: Options = Options()) throws -> Opening {
    try StoreFailure.translating(path: path) {
      let isCreated = try prepareFile(at: path)
      if !isCreated { try refuseForeign(at: path, Schema(options.migrations), options) }
      // Durability matters more than fast commits: data written by a step must survive a power failure.
      let pool = try SQLitePool(path, readers: 4, busyMilliseconds: options.lockMilliseconds)
      do {
        return try bringUpToDate(Store(path: path, pool: pool), options, isCreated: isCreated)
      } catch {
        pool.close()
        throw error
      }
    }
  }

  /// Throws an error if the file is not a flowrun store or was written by a newer version. The connection is read-only,
  /// because opening a pool writes to the file (it switches to the write-ahead log).
  private static func refuseForeign(at path: String, _ schema: Schema, _ options: Options) throws {
    let connection = try SQLiteConnection(path, .readOnly, busyMilliseconds: options.lockMilliseconds)
    _ = try connection.snapshot { try schema.missingMigrations(in: connection, path: path) }
  }

  /// Applies missing migrations in one transaction. An up-to-date store is only read.
  private static func bringUpToDate(_ store: Store, _ options: Options, isCreated: Bool) throws -> Opening {
    let schema = Schema(options.migrations)
    var opening = Opening(store: store, isCreated: isCreated, appliedMigrations: [])
    let isUpToDate = try store.pool.read { db in
      try schema.missingMigrations(in: db, path: store.path).isEmpty
    }
    if isUpToDate { return opening }
    try store.pool.write { db in
      // Another process may have applied some migrations between the check above and the lock.
      opening.appliedMigrations = try schema.missingMigrations(in: db, path: store.path)
      try schema.apply(opening.appliedMigrations, to: db)
    }
    return opening
  }

  /// Waits for running queries and closes all connections. Only the database file remains.
  package func close() { pool.close() }

  /// Opens a separate read-only connection for a statement of a workflow.
  package func queryQueue() throws -> SQLiteQueue { try SQLiteQueue(path, .readOnly) }

  /// Opens a separate connection for statements of a workflow that write. They wait up to `lockTimeout` for other
  /// writers.
  package func writingQueue(lockTimeout: Duration) throws -> SQLiteQueue {
    try SQLiteQueue(
      path, .readWrite, busyMilliseconds: lockTimeout.nanoseconds / 1_000_000,
      setup: "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
  }

  /// Returns the rows of a query as objects, with one member per column.
  package func rows(_ sql: String, _ arguments: [SQLiteValue] = []) throws -> [Value] {
    try StoreFailure.translating(path: path) {
      try pool.read { db in
        try db.query(sql, arguments) { rows in
          let columns = rows.columns
          var values: [Value] = []
          while try rows.next() { values.append(.object(ValueObject(rows, columns))) }
          return values
        }
      }
    }
  }
}

extension ValueObject {
  /// Creates an object from a row, with the columns in order. If two columns have the same name, the later one is used.
  package init(_ row: borrowing SQLiteStatement, _ columns: [String]) {
    self.init()
    for (index, column) in columns.enumerated() { self[column] = Value(row.value(index)) }
  }
}

extension Value {
  /// Converts a value from a column. A blob becomes a base64 string.
  package init(_ value: SQLiteValue) {
    switch value {
    case .null: self = .null
    case .integer(let integer): self = .integer(Int(integer))
    case .number(let number): self = .number(number)
    case .text(let text): self = .string(text)
    case .bytes(let bytes): self = .string(Data(bytes).base64EncodedString())
    }
  }
}
