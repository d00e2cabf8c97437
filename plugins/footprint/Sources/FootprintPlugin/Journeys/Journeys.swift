import FlowModel
import FlowPluginKit
import FlowSQLite
import StorageCore

/// The trips and places of a store that has the tables for them. Steps receive it as the handle `journeys`.
struct Journeys: Sendable {
  let store: Store

  /// The result of preparing the tables of a store.
  struct Preparation: Sendable {
    /// True if at least one table was created.
    var isCreated = false
    /// The number of places imported from the sample.
    var imported = 0
  }

  /// Creates missing tables and imports `sample` unless it is nil, both in one transaction. If nothing is missing, the
  /// store is only read.
  static func prepare(_ store: Store, sample: SampleImport?) throws -> Preparation {
    try StoreFailure.translating(path: store.path) {
      let isPrepared = try store.pool.read { db in
        guard try Schema.isRecorded(Schema.journeys, in: db) else { return false }
        return try sample == nil || SampleImport.isDone(db)
      }
      if isPrepared { return Preparation() }
      return try store.pool.write { db in
        // Another process may have created the tables between the check above and the lock.
        var preparation = Preparation()
        if try !Schema.isRecorded(Schema.journeys, in: db) {
          preparation.isCreated = try makeTables(db, path: store.path)
          try Schema.record(Schema.journeys, in: db)
        }
        preparation.imported = try sample?.run(db) ?? 0
        return preparation
      }
    }
  }

  /// Creates missing tables. Returns true if at least one was missing. Throws an error if an existing table lacks
  /// required columns.
  private static func makeTables(_ db: SQLiteConnection, path: String) throws -> Bool {
    var isCreated = false
    for table in tables {
      if try db.hasTable(table.name) {
        let columns = try Set(db.all("SELECT name FROM pragma_table_info(?)", [.text(table.name)]) { $0.text(0) })
        let missing = table.columns.filter { !columns.contains($0) }
        guard missing.isEmpty else {
          throw ActionError(
            "tables-differ",
            "the table '\(table.name)' of the store '\(path)' has no \(missing.joined(separator: ", ")); "
              + "add the columns in a migration, or choose another path", isRetryable: false)
        }
      } else {
        try db.execute(table.sql)
        isCreated = true
      }
    }
    return isCreated
  }

  private struct Table {
    var name: String
    var columns: [String]
    var sql: String
  }

  private static let tables = [
    Table(
      name: "TravelTrip", columns: ["id", "name", "startDate", "endDate", "notes"],
      sql: """
        CREATE TABLE TravelTrip (
          id TEXT PRIMARY KEY NOT NULL,
          name TEXT NOT NULL,
          startDate TEXT NOT NULL CHECK (startDate GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]'),
          endDate TEXT NOT NULL CHECK (endDate >= startDate),
          notes TEXT NOT NULL DEFAULT ''
        ) STRICT;
        CREATE INDEX TravelTripByStart ON TravelTrip (startDate);
        """),
    Table(
      name: "TravelDestination",
      columns: ["id", "name", "countryCode", "latitude", "longitude", "visitDate", "tripId", "notes"],
      sql: """
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
        """),
  ]
}

extension HandleKey {
  /// The handle through which steps reach the trips and places.
  static let journeys: HandleKey = "journeys"
}
