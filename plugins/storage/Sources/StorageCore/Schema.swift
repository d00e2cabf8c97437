import FlowPluginKit
import FlowSQLite

/// The migrations of a store. A released migration never changes.
///
/// All missing migrations are applied in one transaction, which locks the store. Two processes can therefore create a
/// store at the same time.
package struct Schema {
  /// `Flow` in ASCII. It distinguishes flowrun's stores from the databases of other programs.
  static let applicationID = 0x466C_6F77

  private static let filePrefix = "file:"

  private let migrations: [(name: String, sql: String)]

  /// Creates a schema: the table that records migrations, followed by the caller's migrations.
  init(_ migrations: [FileMigration] = []) {
    self.migrations =
      [(Self.first, Self.recordTable)] + migrations.map { (Self.filePrefix + $0.name, $0.sql) }
  }

  /// The name of the first migration of every store.
  private static let first = "1-store"

  /// The first migration of stores created by older versions. In newer stores, it creates the tables of `footprint`.
  package static let journeys = "1-journeys"

  private static let recordTable = """
    PRAGMA application_id = \(applicationID);
    CREATE TABLE Migration (name TEXT PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID;
    """

  /// Returns the names of the missing migrations. Throws an error if the store belongs to another program or a newer
  /// version.
  func missingMigrations(in db: SQLiteConnection, path: String) throws -> [String] {
    if try db.integer("SELECT EXISTS (SELECT 1 FROM sqlite_schema)") == 0 { return migrations.map(\.name) }
    let owner = try db.integer("PRAGMA application_id") ?? 0
    guard owner == Self.applicationID else {
      throw StoreFailure.foreignStore.error(
        "'\(path)' is a database of another program", "its application id is \(owner), not \(Self.applicationID)")
    }
    var applied = try Set(db.all("SELECT name FROM Migration") { $0.text(0) })
    if applied.remove(Self.journeys) != nil { applied.insert(Self.first) }
    let unknown = applied.subtracting(migrations.map(\.name)).filter { !$0.hasPrefix(Self.filePrefix) }
    if let first = unknown.min() {
      throw StoreFailure.storeIsNewer.error(
        "the store '\(path)' was written by a newer version", "it holds the migration '\(first)'")
    }
    return migrations.map(\.name).filter { !applied.contains($0) }
  }

  /// Applies the named migrations in the order of the schema. Must be called in a transaction that prevents other
  /// processes from writing.
  func apply(_ names: [String], to db: SQLiteConnection) throws {
    let guardian = MigrationGuard()
    if names.contains(where: { $0.hasPrefix(Self.filePrefix) }) { guardian.guardConnection(db) }
    for (name, sql) in migrations where names.contains(name) {
      guardian.isGuarding = name.hasPrefix(Self.filePrefix)
      defer { guardian.isGuarding = false }
      do {
        try db.execute(sql)
      } catch let error as SQLiteError where [.error, .constraint, .denied].contains(error.kind) {
        throw Self.failed(name, guardian.denial ?? "\(error)")
      }
      guardian.isGuarding = false
      try Self.record(name, in: db)
    }
  }

  /// True if the store has recorded that a migration was applied.
  package static func isRecorded(_ name: String, in db: SQLiteConnection) throws -> Bool {
    try db.integer("SELECT EXISTS (SELECT 1 FROM Migration WHERE name = ?)", [.text(name)]) == 1
  }

  /// Records that a migration was applied. Must be called in the transaction that applied it.
  package static func record(_ name: String, in db: SQLiteConnection) throws {
    try db.run("INSERT INTO Migration (name) VALUES (?)", [.text(name)])
  }

  private static func failed(_ name: String, _ cause: String) -> ActionError {
    let file = name.hasPrefix(filePrefix) ? String(name.dropFirst(filePrefix.count)) : name
    return StoreFailure.migrationFailed.error("the migration '\(file)' cannot be applied", cause)
  }
}
