import FlowModel
import FlowPluginKit
import GRDB

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An open SQLite store with the journeys of the application and its small values; the handle behind `database`.
///
/// Safe to use from any thread: all state is GRDB's pool, which runs readers beside one writer.
final class Store: Sendable {
  /// Where it lies.
  let path: String
  let pool: DatabasePool

  private init(path: String, pool: DatabasePool) {
    self.path = path
    self.pool = pool
  }

  /// What opening a store did.
  struct Opening {
    var store: Store
    var isCreated: Bool
    var appliedMigrations: [String]
    var importedDestinations: Int
  }

  /// How a store is opened.
  struct Options {
    /// The caller's own migrations, applied after the built-in ones.
    var migrations: [FileMigration] = []
    /// The import to run on a store without journeys; nil: none.
    var sample: SampleImport?
    /// How long to wait for another process that holds the store.
    var lockTimeout: Duration = .seconds(1)
  }

  /// Opens the store at `path`, creating file, folder and tables where they are missing.
  ///
  /// Throws an ``ActionError`` with one of the codes of ``StoreFailure``; what was in the store is then as before.
  static func open(at path: String, _ options: Options = Options()) throws -> Opening {
    try StoreFailure.translating(path: path) {
      let isCreated = try prepareFile(at: path)
      if !isCreated { try refuseForeign(at: path, Schema(options.migrations), options) }
      var configuration = Configuration()
      configuration.busyMode = .timeout(Double(options.lockTimeout.nanoseconds) / 1e9)
      configuration.maximumReaderCount = 4
      let pool = try DatabasePool(path: path, configuration: configuration)
      do {
        return try bringUpToDate(Store(path: path, pool: pool), options, isCreated: isCreated)
      } catch {
        try? close(pool)
        throw error
      }
    }
  }

  /// Throws when the file is no store of ours, or a newer version's; looks through a connection that cannot write,
  /// because opening a pool already writes (it switches to the write-ahead log).
  private static func refuseForeign(at path: String, _ schema: Schema, _ options: Options) throws {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(Double(options.lockTimeout.nanoseconds) / 1e9)
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    defer { try? queue.close() }
    _ = try queue.read { db in try schema.missingMigrations(in: db, path: path) }
  }

  /// Applies what is missing and imports the sample, in one transaction; a store that lacks nothing is only read.
  private static func bringUpToDate(_ store: Store, _ options: Options, isCreated: Bool) throws -> Opening {
    let schema = Schema(options.migrations)
    var opening = Opening(store: store, isCreated: isCreated, appliedMigrations: [], importedDestinations: 0)
    let isUpToDate = try store.pool.read { db in
      guard try schema.missingMigrations(in: db, path: store.path).isEmpty else { return false }
      return try options.sample == nil || SampleImport.isDone(db)
    }
    try store.pool.writeWithoutTransaction { db in
      // A store is worth more than a commit is slow: what a step has written is there after a power cut.
      try db.execute(sql: "PRAGMA synchronous = FULL")
      if isUpToDate { return }
      try db.inTransaction(.immediate) {
        // Another process may have been faster between the look above and the lock.
        opening.appliedMigrations = try schema.missingMigrations(in: db, path: store.path)
        try schema.apply(opening.appliedMigrations, to: db)
        opening.importedDestinations = try options.sample?.run(db) ?? 0
        return .commit
      }
    }
    return opening
  }

  /// Closes all connections; waits for queries that run. One file is left.
  func close() throws {
    try StoreFailure.translating(path: path) { try Self.close(pool) }
  }

  private static func close(_ pool: DatabasePool) throws {
    // SQLite folds the write-ahead log into the store when the last connection closes, if that one may write.
    pool.invalidateReadOnlyConnections()
    try pool.close()
  }

  /// A connection of its own for one statement that somebody wrote: it cannot write, and `authorizer`, which must outlive
  /// it, is asked about everything that the statement would do.
  func queryConnection(_ authorizer: QueryAuthorizer) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.prepareDatabase { authorizer.guardConnection($0) }
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  /// The rows of a query, as objects by column.
  func rows(_ sql: String, _ arguments: StatementArguments = []) throws -> [Value] {
    try StoreFailure.translating(path: path) {
      try pool.read { db in
        let cursor = try Row.fetchCursor(db, sql: sql, arguments: arguments)
        var rows: [Value] = []
        while let row = try cursor.next() { rows.append(.object(ValueObject(row))) }
        return rows
      }
    }
  }
}

extension ValueObject {
  /// The columns of a row in order; of two columns of one name the later counts.
  init(_ row: Row) {
    self.init()
    for (column, databaseValue) in row { self[column] = Value(databaseValue) }
  }
}

extension Value {
  /// What a column holds; a blob becomes text in base 64.
  init(_ databaseValue: DatabaseValue) {
    switch databaseValue.storage {
    case .null: self = .null
    case .int64(let integer): self = .integer(Int(integer))
    case .double(let number): self = .number(number)
    case .string(let text): self = .string(text)
    case .blob(let data): self = .string(data.base64EncodedString())
    }
  }
}
