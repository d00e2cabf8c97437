import FlowPluginKit
import FlowSQLite

/// The tables of a store and how they came about, one migration a version; what has been released never changes.
///
/// Everything that is missing is applied in one transaction, under the lock, so that of two processes that make a store
/// together both succeed.
struct Schema {
  /// `Flow` in ASCII: distinguishes our stores from other programs' databases.
  static let applicationID = 0x466C_6F77

  private static let filePrefix = "file:"

  private let migrations: [(name: String, sql: String)]

  /// The built-in tables, and the caller's own migrations after them.
  init(_ migrations: [FileMigration] = []) {
    self.migrations =
      [("1-journeys", Self.journeys)] + migrations.map { (Self.filePrefix + $0.name, $0.sql) }
  }

  private static let journeys = """
    PRAGMA application_id = \(applicationID);
    CREATE TABLE Migration (name TEXT PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE TravelTrip (
      id TEXT PRIMARY KEY NOT NULL,
      name TEXT NOT NULL,
      startDate TEXT NOT NULL CHECK (startDate GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]'),
      endDate TEXT NOT NULL CHECK (endDate >= startDate),
      notes TEXT NOT NULL DEFAULT ''
    ) STRICT;
    CREATE INDEX TravelTripByStart ON TravelTrip (startDate);
    CREATE TABLE TravelDestination (
      id TEXT PRIMARY KEY NOT NULL,
      name TEXT NOT NULL,
      countryCode TEXT NOT NULL CHECK (countryCode GLOB '[A-Z][A-Z]'),
      latitude REAL NOT NULL CHECK (latitude BETWEEN -90 AND 90),
      longitude REAL NOT NULL CHECK (longitude BETWEEN -180 AND 180),
      visitDate TEXT NOT NULL CHECK (visitDate GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]'),
      tripId TEXT REFERENCES TravelTrip (id) ON DELETE SET NULL,
      notes TEXT NOT NULL DEFAULT ''
    ) STRICT;
    CREATE INDEX TravelDestinationByVisit ON TravelDestination (visitDate);
    CREATE INDEX TravelDestinationByTrip ON TravelDestination (tripId);
    CREATE TABLE KeyValue (
      scope TEXT NOT NULL,
      key TEXT NOT NULL,
      value TEXT NOT NULL,
      PRIMARY KEY (scope, key)
    ) STRICT, WITHOUT ROWID;
    """

  /// The names of the migrations that a store lacks; throws when it is another program's or a newer version's.
  func missingMigrations(in db: SQLiteConnection, path: String) throws -> [String] {
    if try db.integer("SELECT EXISTS (SELECT 1 FROM sqlite_schema)") == 0 { return migrations.map(\.name) }
    let owner = try db.integer("PRAGMA application_id") ?? 0
    guard owner == Self.applicationID else {
      throw StoreFailure.foreignStore.error(
        "'\(path)' is a database of another program", "its application id is \(owner), not \(Self.applicationID)")
    }
    let applied = try Set(db.all("SELECT name FROM Migration") { $0.text(0) })
    let unknown = applied.subtracting(migrations.map(\.name)).filter { !$0.hasPrefix(Self.filePrefix) }
    if let first = unknown.min() {
      throw StoreFailure.storeIsNewer.error(
        "the store '\(path)' was written by a newer version", "it holds the migration '\(first)'")
    }
    return migrations.map(\.name).filter { !applied.contains($0) }
  }

  /// Applies these migrations; must run in a transaction in which no other process can write.
  func apply(_ names: [String], to db: SQLiteConnection) throws {
    for (name, sql) in migrations where names.contains(name) {
      do {
        try db.execute(sql)
      } catch let error as SQLiteError where error.kind == .error || error.kind == .constraint {
        throw Self.failed(name, "\(error)")
      }
      guard db.isInTransaction else { throw Self.failed(name, "it ends the transaction around it") }
      try db.run("INSERT INTO Migration (name) VALUES (?)", [.text(name)])
    }
  }

  private static func failed(_ name: String, _ cause: String) -> ActionError {
    let file = name.hasPrefix(filePrefix) ? String(name.dropFirst(filePrefix.count)) : name
    return StoreFailure.migrationFailed.error("the migration '\(file)' cannot be applied", cause)
  }
}
