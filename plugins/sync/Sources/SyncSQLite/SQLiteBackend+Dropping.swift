import FlowSQLite
import SyncCore
import SyncEngine

extension SQLiteBackend {
  /// What a zone has forgotten.
  static func dropped(_ zone: String, _ database: SQLiteConnection) throws -> Dropped {
    try database.first("SELECT dropped_seq, dropped_life FROM zone WHERE name = ?", [.text(zone)]) {
      Dropped(sequence: $0.int64(0), incarnation: $0.int64(1))
    } ?? Dropped()
  }

  /// Notes who reads: from then on nothing is forgotten that this reader has not seen deleted.
  static func note(_ reader: ZoneReader, _ zone: String, _ now: Int64, _ database: SQLiteConnection) throws {
    guard let name = reader.name else { return }
    try database.run(
      """
      INSERT INTO seen VALUES (?1, ?2, 0, ?3) ON CONFLICT (zone, device)
      DO UPDATE SET milliseconds = excluded.milliseconds WHERE milliseconds < excluded.milliseconds - ?4
      """, [.text(zone), .text(name), .integer(now), .integer(ZoneReader.noteMilliseconds)])
  }

  /// Notes how far a device has read, or that it is there no more, and forgets what all have seen deleted.
  static func take(
    _ change: SyncCore.Operation.Change, _ zone: String, last: Int64, _ now: Int64, _ database: SQLiteConnection
  ) throws {
    switch change {
    case .seen(let device, let cursor):
      guard try incarnations(zone, database).holds(cursor, last: last) else { return }
      try database.run(
        """
        INSERT INTO seen VALUES (?, ?, ?, ?) ON CONFLICT (zone, device)
        DO UPDATE SET seq = max(seq, excluded.seq), milliseconds = excluded.milliseconds
        """, [.text(zone), .text(device.name), .integer(cursor.sequence), .integer(now)])
      try forget(zone, now, database)
    case .retire(let device):
      try database.run("DELETE FROM seen WHERE zone = ? AND device = ?", [.text(zone), .text(device.name)])
      try forget(zone, now, database)
    case .write, .join: return
    }
  }

  private static func forget(_ zone: String, _ now: Int64, _ database: SQLiteConnection) throws {
    let first = now - RecordLimits.silentDays * 86_400_000
    let deletions = try database.all(
      """
      SELECT type, name, seq, deleted_life FROM record WHERE zone = ?1 AND deleted_life IS NOT NULL
      AND seq <= (SELECT min(seq) FROM seen WHERE zone = ?1 AND milliseconds >= ?2)
      """, [.text(zone), .integer(first)]
    ) {
      SeenDeletion(
        key: RecordKey(type: $0.text(0), name: $0.text(1)), sequence: $0.int64(2), incarnation: $0.int64(3))
    }
    if deletions.isEmpty { return }
    let rules = try cells(of: ZoneRules.type, zone, database).map { ZoneRules(collection: $0.name, cell: $0.cell) }
    var dropped = try dropped(zone, database)
    for deletion in SeenDeletion.forgettable(deletions, rules: rules) {
      try database.run(
        "DELETE FROM record WHERE zone = ? AND type = ? AND name = ?",
        [.text(zone), .text(deletion.key.type), .text(deletion.key.name)])
      dropped.note(sequence: deletion.sequence, incarnation: deletion.incarnation)
    }
    try database.run(
      "UPDATE zone SET dropped_seq = ?, dropped_life = ? WHERE name = ?",
      [.integer(dropped.sequence), .integer(dropped.incarnation), .text(zone)])
  }

  private static func cells(
    of type: String, _ zone: String, _ database: SQLiteConnection
  ) throws -> [(name: String, cell: Cell)] {
    try database.all("SELECT name, cell FROM record WHERE zone = ? AND type = ?", [.text(zone), .text(type)]) {
      (name: $0.text(0), cell: try Cell(packed: $0.bytes(1)))
    }
  }
}
