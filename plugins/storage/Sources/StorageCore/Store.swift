import FlowModel
import FlowPluginKit
import FlowSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An open SQLite store; the handle behind `database`.
///
/// Safe to use from any thread: all state is the pool, which runs readers next to one writer.
package final class Store: Sendable {
  /// Its path.
  package let path: String
  /// Its readers and its writer.
  package let pool: SQLitePool

  private init(path: String, pool: SQLitePool) {
    self.path = path
    self.pool = pool
  }

  /// What opening a store did.
  package struct Opening {
    package var store: Store
    package var isCreated: Bool
    package var appliedMigrations: [String]
  }

  /// How a store is opened.
  package struct Options {
    /// The caller's migrations, applied in this order.
    var migrations: [FileMigration]
    /// How long to wait for another process that holds the store.
    var lockTimeout: Duration

    /// Opens with these migrations.
    package init(migrations: [FileMigration] = [], lockTimeout: Duration = .seconds(1)) {
      self.migrations = migrations
      self.lockTimeout = lockTimeout
    }

    fileprivate var lockMilliseconds: Int { lockTimeout.nanoseconds / 1_000_000 }
  }

  /// Opens the store at `path`, creating file, folder and tables where they are missing.
  ///
  /// Throws an ``ActionError`` with one of the codes of ``StoreFailure``; what was in the store is then as before.
  package static func open(at path: String, _ options: Options = Options()) throws -> Opening {
    try StoreFailure.translating(path: path) {
      let isCreated = try prepareFile(at: path)
      if !isCreated { try refuseForeign(at: path, Schema(options.migrations), options) }
      // A store is worth more than a commit is slow: what a step has written is there after a power cut.
      let pool = try SQLitePool(path, readers: 4, busyMilliseconds: options.lockMilliseconds)
      do {
        return try bringUpToDate(Store(path: path, pool: pool), options, isCreated: isCreated)
      } catch {
        pool.close()
        throw error
      }
    }
  }

  /// Throws when the file is not a store of ours, or a newer version's; looks through a connection that cannot write,
  /// because opening a pool already writes (it switches to the write-ahead log).
  private static func refuseForeign(at path: String, _ schema: Schema, _ options: Options) throws {
    let connection = try SQLiteConnection(path, .readOnly, busyMilliseconds: options.lockMilliseconds)
    _ = try connection.snapshot { try schema.missingMigrations(in: connection, path: path) }
  }

  /// Applies what is missing in one transaction; a store that lacks nothing is only read.
  private static func bringUpToDate(_ store: Store, _ options: Options, isCreated: Bool) throws -> Opening {
    let schema = Schema(options.migrations)
    var opening = Opening(store: store, isCreated: isCreated, appliedMigrations: [])
    let isUpToDate = try store.pool.read { db in
      try schema.missingMigrations(in: db, path: store.path).isEmpty
    }
    if isUpToDate { return opening }
    try store.pool.write { db in
      // Another process may have been faster between the look above and the lock.
      opening.appliedMigrations = try schema.missingMigrations(in: db, path: store.path)
      try schema.apply(opening.appliedMigrations, to: db)
    }
    return opening
  }

  /// Closes all connections; waits for queries that run. One file is left.
  package func close() { pool.close() }

  /// A separate connection for one statement of a workflow: it cannot write.
  package func queryQueue() throws -> SQLiteQueue { try SQLiteQueue(path, .readOnly) }

  /// A separate connection for statements of a workflow that write; it waits that long for others that do.
  package func writingQueue(lockTimeout: Duration) throws -> SQLiteQueue {
    try SQLiteQueue(
      path, .readWrite, busyMilliseconds: lockTimeout.nanoseconds / 1_000_000,
      setup: "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
  }

  /// The rows of a query, as objects by column.
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
  /// The columns of a row in order; of two columns of one name the later counts.
  package init(_ row: borrowing SQLiteStatement, _ columns: [String]) {
    self.init()
    for (index, column) in columns.enumerated() { self[column] = Value(row.value(index)) }
  }
}

extension Value {
  /// What a column holds; a blob becomes text in base 64.
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
