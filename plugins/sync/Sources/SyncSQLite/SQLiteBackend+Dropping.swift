import FlowSQLite
import SyncCore
import SyncEngine

extension SQLiteBackend {
  /// Returns the limits up to which a zone has forgotten deletions.
  static func dropped(_ zone: String, _ database: SQLiteConnection) throws -> Dropped {
    try database.first("SELECT dropped_seq, dropped_life FROM zone WHERE name = ?", [.text(zone)]) {
      Dropped(sequence: $0.int64(0), incarnation: $0.int64(1))
    } ?? Dropped()
  }

  /// Records the zone's position at this device's time, and forgets deletions that are old enough.
  static func age(
    _ zone: String, to sequence: Int64, by device: DeviceID?, _ now: Int64, _ database: SQLiteConnection
  ) throws {
    let known = try database.first("SELECT notes FROM age WHERE zone = ?", [.text(zone)]) { $0.bytes(0) }
    // If the data is damaged, counting starts again. This only keeps deletions for longer.
    let before = known.flatMap { try? ZoneAges(packed: $0) } ?? ZoneAges()
    var ages = before
    let old = ages.note(sequence, by: device?.name ?? "", atMilliseconds: now)
    if ages != before {
      try database.run("INSERT OR REPLACE INTO age VALUES (?, ?)", [.text(zone), .bytes(ages.packed())])
    }
    if let old { try forget(try deletions(upTo: old, zone, database), zone, database) }
  }

  /// Forgets enough deletions to make room in these collections, and all older ones. Returns false if there are none to
  /// forget.
  static func makeRoom(_ full: [String: Int], _ zone: String, _ database: SQLiteConnection) throws -> Bool {
    if full.isEmpty { return false }
    let deletions = try deletions(upTo: .max, zone, database)
    let rules = try rules(zone, database)
    guard let last = OldDeletion.room(for: full, deletions, rules: rules) else { return false }
    try forget(deletions.filter { $0.sequence <= last }, zone, database)
    return true
  }

  private static func deletions(
    upTo last: Int64, _ zone: String, _ database: SQLiteConnection
  ) throws -> [OldDeletion] {
    try database.all(
      """
      SELECT type, name, seq, deleted_life FROM record WHERE zone = ? AND deleted_life IS NOT NULL AND seq <= ?
      """, [.text(zone), .integer(last)]
    ) {
      OldDeletion(
        key: RecordKey(type: $0.text(0), name: $0.text(1)), sequence: $0.int64(2), incarnation: $0.int64(3))
    }
  }

  private static func forget(
    _ deletions: [OldDeletion], _ zone: String, _ database: SQLiteConnection
  ) throws {
    if deletions.isEmpty { return }
    var dropped = try dropped(zone, database)
    for deletion in OldDeletion.forgettable(deletions, rules: try rules(zone, database)) {
      try database.run(
        "DELETE FROM record WHERE zone = ? AND type = ? AND name = ?",
        [.text(zone), .text(deletion.key.type), .text(deletion.key.name)])
      dropped.note(sequence: deletion.sequence, incarnation: deletion.incarnation)
    }
    try database.run(
      "UPDATE zone SET dropped_seq = ?, dropped_life = ? WHERE name = ?",
      [.integer(dropped.sequence), .integer(dropped.incarnation), .text(zone)])
  }

  private static func rules(_ zone: String, _ database: SQLiteConnection) throws -> [ZoneRules] {
    try database.all("SELECT name, cell FROM record WHERE zone = ? AND type = ?", [.text(zone), .text(ZoneRules.type)])
    {
      ZoneRules(collection: $0.text(0), cell: try Cell(packed: $0.bytes(1)))
    }
  }
}
