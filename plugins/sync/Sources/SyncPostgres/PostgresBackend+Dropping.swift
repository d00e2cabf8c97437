#if Network
  import FlowPostgres
  import SyncCore
  import SyncEngine

  extension PostgresBackend {
    /// Notes how far devices have read, or that they are there no more, and forgets what all have seen deleted.
    func forget(after operations: [Operation], zone: String) async throws(BackendError) {
      for operation in operations {
        switch operation.change {
        case .seen(let device, let cursor):
          try await idle.perform { connection throws(BackendError) in
            let (incarnations, present) = try PostgresZone.incarnations(zone, connection)
            guard incarnations.holds(cursor, last: present.sequence) else { return }
            _ = try connection.run(
              """
              INSERT INTO sync_seen VALUES ($1, $2, $3::int8, clock_timestamp()) ON CONFLICT (zone, device)
              DO UPDATE SET seq = greatest(sync_seen.seq, excluded.seq), at = excluded.at
              """, [.text(zone), .text(device.name), .integer(cursor.sequence)])
            try PostgresZone.forget(zone, connection)
          }
        case .retire(let device):
          try await idle.perform { connection throws(BackendError) in
            _ = try connection.run(
              "DELETE FROM sync_seen WHERE zone = $1 AND device = $2", [.text(zone), .text(device.name)])
            try PostgresZone.forget(zone, connection)
          }
        case .write, .join: continue
        }
      }
    }
  }

  extension PostgresZone {
    /// Notes who reads: from then on nothing is forgotten that this reader has not seen deleted.
    static func note(_ reader: String, zone: String, _ connection: ZoneConnection) throws(BackendError) {
      _ = try connection.run(
        """
        INSERT INTO sync_seen SELECT name, $2, 0, clock_timestamp() FROM sync_zone WHERE name = $1
        ON CONFLICT (zone, device) DO UPDATE SET at = excluded.at
        """, [.text(zone), .text(reader)])
    }

    /// Forgets what all devices have seen deleted: read first, then removed where it is still as it was read.
    static func forget(_ zone: String, _ connection: ZoneConnection) throws(BackendError) {
      let rows = try connection.run(
        """
        SELECT type, name, seq, deleted_life FROM sync_record WHERE zone = $1 AND deleted_life IS NOT NULL
        AND seq <= (SELECT min(seq) FROM sync_seen WHERE zone = $1 AND at >= clock_timestamp() - $2::int8 * interval '1 day')
        """, [.text(zone), .integer(RecordLimits.silentDays)])
      let deletions = (0..<rows.count).map { row in
        SeenDeletion(
          key: RecordKey(type: rows.text(row, 0), name: rows.text(row, 1)), sequence: rows.integer(row, 2),
          incarnation: rows.integer(row, 3))
      }
      if deletions.isEmpty { return }
      let rules = try cells(of: ZoneRules.type, zone, connection)
        .map { ZoneRules(collection: $0.name, cell: $0.cell) }
      for deletion in SeenDeletion.forgettable(deletions, rules: rules) {
        // The zone's row is locked first, as every commit does, and the oldest goes first: what the zone says it has
        // forgotten is true after each.
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

    private static func cells(
      of type: String, _ zone: String, _ connection: ZoneConnection
    ) throws(BackendError) -> [(name: String, cell: Cell)] {
      let rows = try connection.run(
        "SELECT name, cell FROM sync_record WHERE zone = $1 AND type = $2", [.text(zone), .text(type)])
      var cells: [(name: String, cell: Cell)] = []
      for row in 0..<rows.count { cells.append((rows.text(row, 0), try cell(rows.bytes(row, 1)))) }
      return cells
    }
  }
#endif
