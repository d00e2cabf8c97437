#if Network
  import FlowPostgres
  import SyncCore
  import SyncEngine

  extension PostgresZone {
    /// Records the zone's position and forgets deletions that are old enough.
    static func age(_ zone: String, _ connection: ZoneConnection) throws(BackendError) {
      let rows = try connection.run(
        """
        SELECT seq, (extract(epoch FROM clock_timestamp()) * 1000)::int8, notes
        FROM sync_zone z LEFT JOIN sync_age a ON a.zone = z.name WHERE z.name = $1
        """, [.text(zone)])
      guard rows.count == 1 else { throw .zoneMissing(zone) }
      // If the data is damaged, counting starts again. This only keeps deletions for longer.
      let before = rows.isNull(0, 2) ? ZoneAges() : (try? ZoneAges(packed: rows.bytes(0, 2))) ?? ZoneAges()
      var ages = before
      let old = ages.note(rows.integer(0, 0), atMilliseconds: rows.integer(0, 1), mostDays: .max)
      if ages != before {
        // If two servers write at the same time, the last value is correct, too.
        _ = try connection.run(
          "INSERT INTO sync_age VALUES ($1, $2) ON CONFLICT (zone) DO UPDATE SET notes = excluded.notes",
          [.text(zone), .bytes(ages.packed())])
      }
      if let old { try forget(try deletions(upTo: old, zone, connection), zone, connection) }
    }

    /// Forgets enough deletions to make room in these collections, and all older ones. Returns false if there are none
    /// to forget.
    static func makeRoom(
      _ full: [String: Int], _ zone: String, _ connection: ZoneConnection
    ) throws(BackendError) -> Bool {
      let deletions = try deletions(upTo: .max, zone, connection)
      let rules = try rules(zone, connection)
      guard let last = OldDeletion.room(for: full, deletions, rules: rules) else { return false }
      try forget(deletions.filter { $0.sequence <= last }, zone, connection)
      return true
    }

    private static func deletions(
      upTo last: Int64, _ zone: String, _ connection: ZoneConnection
    ) throws(BackendError) -> [OldDeletion] {
      let rows = try connection.run(
        """
        SELECT type, name, seq, deleted_life FROM sync_record
        WHERE zone = $1 AND deleted_life IS NOT NULL AND seq <= $2::int8
        """, [.text(zone), .integer(last)])
      return (0..<rows.count).map { row in
        OldDeletion(
          key: RecordKey(type: rows.text(row, 0), name: rows.text(row, 1)), sequence: rows.integer(row, 2),
          incarnation: rows.integer(row, 3))
      }
    }

    /// Removes the records of these deletions unless they have changed since they were read.
    private static func forget(
      _ deletions: [OldDeletion], _ zone: String, _ connection: ZoneConnection
    ) throws(BackendError) {
      if deletions.isEmpty { return }
      for deletion in OldDeletion.forgettable(deletions, rules: try rules(zone, connection)) {
        // Each statement first locks the zone's row, as every commit does. The oldest record is removed first, so that
        // the zone's data about forgotten deletions is correct after each statement.
        _ = try connection.run(
          """
          WITH place AS (SELECT name FROM sync_zone WHERE name = $1 FOR UPDATE), gone AS (
            DELETE FROM sync_record USING place WHERE zone = place.name AND type = $2 AND sync_record.name = $3
            AND seq = $4::int8 RETURNING deleted_life)
          UPDATE sync_zone SET dropped_seq = greatest(dropped_seq, $4::int8),
            dropped_life = greatest(dropped_life, gone.deleted_life + 1) FROM gone WHERE sync_zone.name = $1
          """,
          [.text(zone), .text(deletion.key.type), .text(deletion.key.name), .integer(deletion.sequence)])
      }
    }

    private static func rules(_ zone: String, _ connection: ZoneConnection) throws(BackendError) -> [ZoneRules] {
      let rows = try connection.run(
        "SELECT name, cell FROM sync_record WHERE zone = $1 AND type = $2", [.text(zone), .text(ZoneRules.type)])
      var rules: [ZoneRules] = []
      for row in 0..<rows.count {
        rules.append(ZoneRules(collection: rows.text(row, 0), cell: try cell(rows.bytes(row, 1))))
      }
      return rules
    }
  }
#endif
