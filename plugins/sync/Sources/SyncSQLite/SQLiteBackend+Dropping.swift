import struct Foundation.Data
import GRDB
import SyncCore
import SyncEngine

extension SQLiteBackend {
  /// What a zone has forgotten.
  static func dropped(_ zone: String, _ database: Database) throws -> Dropped {
    let row = try Row.fetchOne(
      database.cachedStatement(sql: "SELECT dropped_seq, dropped_life FROM zone WHERE name = ?"), arguments: [zone])
    return row.map { Dropped(sequence: $0[0], life: $0[1]) } ?? Dropped()
  }

  /// Notes who reads: from then on nothing is forgotten that this reader has not seen deleted.
  static func note(_ reader: ZoneReader, _ zone: String, _ now: Int64, _ database: Database) throws {
    guard let name = reader.name else { return }
    try database.cachedStatement(
      sql: """
        INSERT INTO seen VALUES (?1, ?2, 0, ?3) ON CONFLICT (zone, device)
        DO UPDATE SET milliseconds = excluded.milliseconds WHERE milliseconds < excluded.milliseconds - ?4
        """
    ).execute(arguments: [zone, name, now, ZoneReader.noteMilliseconds])
  }

  /// Notes how far a device has read, or that it is there no more, and forgets what all have seen deleted.
  static func take(
    _ change: SyncCore.Operation.Change, _ zone: String, last: Int64, _ now: Int64, _ database: Database
  ) throws {
    switch change {
    case .seen(let device, let cursor):
      guard try lives(zone, database).holds(cursor, last: last) else { return }
      try database.execute(
        sql: """
          INSERT INTO seen VALUES (?, ?, ?, ?) ON CONFLICT (zone, device)
          DO UPDATE SET seq = max(seq, excluded.seq), milliseconds = excluded.milliseconds
          """, arguments: [zone, device.name, cursor.sequence, now])
      try forget(zone, now, database)
    case .retire(let device):
      try database.execute(sql: "DELETE FROM seen WHERE zone = ? AND device = ?", arguments: [zone, device.name])
      try forget(zone, now, database)
    case .write, .join: return
    }
  }

  private static func forget(_ zone: String, _ now: Int64, _ database: Database) throws {
    let first = now - RecordLimits.silentDays * 86_400_000
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT type, name, seq, deleted_life FROM record WHERE zone = ?1 AND deleted_life IS NOT NULL
        AND seq <= (SELECT min(seq) FROM seen WHERE zone = ?1 AND milliseconds >= ?2)
        """, arguments: [zone, first])
    if rows.isEmpty { return }
    let deletions = rows.map {
      SeenDeletion(key: RecordKey(type: $0[0], name: $0[1]), sequence: $0[2], life: $0[3])
    }
    let rules = try cells(of: ZoneRules.type, zone, database).map { ZoneRules(collection: $0.name, cell: $0.cell) }
    var dropped = try dropped(zone, database)
    for deletion in SeenDeletion.forgettable(deletions, rules: rules) {
      try database.cachedStatement(sql: "DELETE FROM record WHERE zone = ? AND type = ? AND name = ?")
        .execute(arguments: [zone, deletion.key.type, deletion.key.name])
      dropped.note(sequence: deletion.sequence, life: deletion.life)
    }
    try database.execute(
      sql: "UPDATE zone SET dropped_seq = ?, dropped_life = ? WHERE name = ?",
      arguments: [dropped.sequence, dropped.life, zone])
  }

  private static func cells(
    of type: String, _ zone: String, _ database: Database
  ) throws -> [(name: String, cell: Cell)] {
    let rows = try Row.fetchCursor(
      database, sql: "SELECT name, cell FROM record WHERE zone = ? AND type = ?", arguments: [zone, type])
    var cells: [(name: String, cell: Cell)] = []
    while let row = try rows.next() {
      let cell: Data = row[1]
      cells.append((row[0], try Cell(packed: Array(cell))))
    }
    return cells
  }
}
