import FlowModel
import FlowSQLite
import StorageCore

/// Fills a new store with the sample, only once.
///
/// All rows and a marker are written in one transaction. If the process is killed, the store stays unchanged and the
/// next launch imports the sample. If the marker exists, nothing is written.
struct SampleImport {
  /// A line of the sample that cannot be parsed, which is a bug in the program.
  struct BadLine: Error { let line: String }

  /// Called after each row with the number of rows written and the total. An error that it throws rolls the import
  /// back.
  var onRow: (_ written: Int, _ total: Int) throws -> Void = { _, _ in }

  /// Writes the sample, unless it has been written before or the store already contains trips or places. Returns the
  /// number of written destinations.
  ///
  /// Must be called in a transaction that prevents other processes from writing.
  func run(_ db: SQLiteConnection) throws -> Int {
    if try Self.isDone(db) { return 0 }
    try StoreKeyValues.makeTable(db)
    try db.run(
      "INSERT INTO KeyValue (scope, key, value) VALUES ('storage', 'sample', ?)",
      [.text(String(SampleData.version))])
    let inUse = "SELECT EXISTS (SELECT 1 FROM TravelTrip) OR EXISTS (SELECT 1 FROM TravelDestination)"
    if try db.integer(inUse) == 1 { return 0 }

    let trips = SampleData.trips.split(separator: "\n")
    let destinations = SampleData.destinations.split(separator: "\n")
    let total = trips.count + destinations.count
    try importTrips(trips, total: total, into: db)
    try importDestinations(destinations, written: trips.count, total: total, into: db)
    try importConfiguration(into: db)
    return destinations.count
  }

  /// True if the store contains the marker, which is also written if nothing was imported because the store was in use.
  static func isDone(_ db: SQLiteConnection) throws -> Bool {
    guard try StoreKeyValues.hasTable(db) else { return false }
    return try db.integer("SELECT EXISTS (SELECT 1 FROM KeyValue WHERE scope = 'storage' AND key = 'sample')") == 1
  }

  private func importTrips(_ lines: [Substring], total: Int, into db: SQLiteConnection) throws {
    let insert = "INSERT INTO TravelTrip (id, name, startDate, endDate, notes) VALUES (?, ?, ?, ?, ?)"
    for (index, line) in lines.enumerated() {
      let fields = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 5 else { throw BadLine(line: String(line)) }
      try db.run(insert, fields.map { .text($0) })
      try onRow(index + 1, total)
    }
  }

  private func importDestinations(_ lines: [Substring], written: Int, total: Int, into db: SQLiteConnection) throws {
    let insert = """
      INSERT INTO TravelDestination (id, name, countryCode, latitude, longitude, visitDate, tripId)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """
    for (index, line) in lines.enumerated() {
      let fields = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 6, let latitude = Double(fields[2]), let longitude = Double(fields[3]) else {
        throw BadLine(line: String(line))
      }
      try db.run(
        insert,
        [
          .text("sample-\(index + 1)"), .text(fields[0]), .text(fields[1]), .number(latitude), .number(longitude),
          .text(fields[4]), fields[5].isEmpty ? .null : .text(fields[5]),
        ])
      try onRow(written + index + 1, total)
    }
  }

  /// Writes the configuration that the application reads before its first screen (L29), and the weather for its map
  /// (L18).
  private func importConfiguration(into db: SQLiteConnection) throws {
    let settings: [(String, Value)] = [
      ("map.style", "standard"), ("map.initial-span-degrees", 12), ("trips.page-size", 20),
    ]
    for (key, value) in settings { try put(value, key, "configuration", into: db) }
    for line in SampleData.weather.split(separator: "\n") {
      let fields = line.split(separator: "|").map(String.init)
      guard fields.count == 3, let degrees = Int(fields[1]) else { throw BadLine(line: String(line)) }
      try put(["celsius": .integer(degrees), "sky": .string(fields[2])], fields[0], "weather", into: db)
    }
  }

  private func put(_ value: Value, _ key: String, _ scope: String, into db: SQLiteConnection) throws {
    try db.run(
      "INSERT OR IGNORE INTO KeyValue (scope, key, value) VALUES (?, ?, ?)",
      [.text(scope), .text(key), .text(JSONText.write(value))])
  }
}
