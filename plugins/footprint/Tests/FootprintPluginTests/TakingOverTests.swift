import FlowModel
import FlowPluginKit
import FlowSQLite
import FlowTestKit
import Foundation
import StorageCore
import Testing

@testable import FootprintPlugin

struct `Taking over existing tables` {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Creates a store like those of versions before `footprint`, with one trip and a record of the imported sample.
  private func makeOldStore() throws {
    let db = try SQLiteConnection(folder.file("store.sqlite"))
    try db.execute(
      """
      PRAGMA application_id = 1181511543;
      CREATE TABLE Migration (name TEXT PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID;
      INSERT INTO Migration VALUES ('1-journeys'), ('file:own.sql');
      CREATE TABLE TravelTrip (
        id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, startDate TEXT NOT NULL, endDate TEXT NOT NULL,
        notes TEXT NOT NULL DEFAULT ''
      ) STRICT;
      CREATE TABLE TravelDestination (
        id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, countryCode TEXT NOT NULL, latitude REAL NOT NULL,
        longitude REAL NOT NULL, visitDate TEXT NOT NULL, tripId TEXT, notes TEXT NOT NULL DEFAULT ''
      ) STRICT;
      CREATE TABLE KeyValue (
        scope TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (scope, key)
      ) STRICT, WITHOUT ROWID;
      INSERT INTO TravelTrip VALUES ('mine', 'Mine', '2020-01-01', '2020-01-02', '');
      INSERT INTO KeyValue VALUES ('storage', 'sample', '1'), ('preferences', 'language', '"en"');
      """)
    db.close()
  }

  @Test func `uses the tables of an older store unchanged and does not import the sample again`() async throws {
    try makeOldStore()
    let host = try await folder.opened()
    #expect(try await host.call(Prepare.self, with: ["sample": true]) == ["created": false, "imported": 0])
    let trips = try await host.call(Trips.self)
    #expect(trips["count"] == 1 && trips["trips"]?.arrayValue?.first?.objectValue?["id"] == "mine")
    let values = try await host.call("storage.values", with: ["scope": "preferences"])
    #expect(values["entries"] == ["language": "en"])
    try host.closeHandles()
    let db = try SQLiteConnection(folder.file("store.sqlite"))
    #expect(try db.all("SELECT name FROM Migration") { $0.text(0) } == ["1-journeys", "file:own.sql"])
  }

  @Test func `uses an existing table and creates missing ones`() async throws {
    let host = try await folder.opened()
    let db = try SQLiteConnection(folder.file("store.sqlite"))
    try db.execute(
      """
      CREATE TABLE TravelTrip (id TEXT, name TEXT, startDate TEXT, endDate TEXT, notes TEXT, color TEXT);
      INSERT INTO TravelTrip VALUES ('mine', 'Mine', '2020-01-01', '2020-01-02', '', 'red');
      """)
    db.close()
    #expect(try await host.call(Prepare.self) == ["created": true, "imported": 0])
    #expect(try await host.call(Statistics.self)["trips"] == 1)
    #expect(try await host.call(Prepare.self) == ["created": false, "imported": 0])
    try host.closeHandles()
  }

  @Test func `refuses a table without the required columns, and leaves it unchanged`() async throws {
    let host = try await folder.opened()
    let db = try SQLiteConnection(folder.file("store.sqlite"))
    try db.execute("CREATE TABLE TravelDestination (id TEXT, name TEXT)")
    await #expect {
      try await host.call(Prepare.self, with: ["sample": true])
    } throws: { error in
      guard let error = error as? ActionError else { return false }
      return error.code == "tables-differ" && error.message.contains("has no countryCode, latitude")
    }
    #expect(try !db.hasTable("TravelTrip"))
    db.close()
    try host.closeHandles()
  }

  @Test func `does not write to a complete store, so another process may have it locked`() async throws {
    try makeOldStore()
    for _ in 0..<2 {
      let host = try await folder.opened()
      let holder = try SQLiteConnection(folder.file("store.sqlite"))
      try holder.execute("BEGIN IMMEDIATE")
      #expect(try await host.call(Prepare.self, with: ["sample": true])["imported"] == 0)
      try holder.execute("ROLLBACK")
      holder.close()
      try host.closeHandles()
    }
  }
}
