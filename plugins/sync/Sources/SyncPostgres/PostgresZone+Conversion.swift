#if Network
  import FlowPostgres
  import SyncCore
  import SyncEngine

  extension PostgresZone {
    /// Where the records stay as they were before they were converted.
    static let backupTable = "sync_record_before_conversion"

    /// Puts the records that an earlier version kept into the form of this one, once, all or none. What they were stays in a
    /// table of its own.
    static func convertOld(_ connection: ZoneConnection) throws(BackendError) {
      let zones = try connection.run("SELECT 1 FROM sync_zone WHERE NOT is_converted LIMIT 1")
      if zones.count == 0 { return }
      _ = try connection.run("BEGIN")
      do throws(BackendError) {
        // Nothing is committed meanwhile; of two servers that start together, one finds nothing left to do.
        _ = try connection.run(makingLock)
        _ = try connection.run("LOCK TABLE sync_zone IN ACCESS EXCLUSIVE MODE")
        try convertRecords(connection)
        _ = try connection.run("UPDATE sync_zone SET is_converted = true")
        _ = try connection.run("COMMIT")
      } catch {
        _ = try? connection.run("ROLLBACK")
        throw error
      }
    }

    private static func convertRecords(_ connection: ZoneConnection) throws(BackendError) {
      let rows = try connection.run(
        """
        SELECT zone, r.type, r.name, cell FROM sync_record r JOIN sync_zone z ON z.name = zone
        WHERE NOT is_converted AND (get_byte(cell, 0) <> \(Cell.packingFormat) OR r.type LIKE 'CD\\_%')
        """)
      if rows.count == 0 { return }
      _ = try connection.run("CREATE TABLE IF NOT EXISTS \(backupTable) (LIKE sync_record)")
      for row in 0..<rows.count {
        let (zone, old) = (rows.text(row, 0), RecordKey(type: rows.text(row, 1), name: rows.text(row, 2)))
        let (key, cell) = try converted(old, rows.bytes(row, 3))
        let place: [PostgresParameter] = [.text(zone), .text(old.type), .text(old.name)]
        _ = try connection.run(
          "INSERT INTO \(backupTable) SELECT * FROM sync_record WHERE zone = $1 AND type = $2 AND name = $3", place)
        _ = try connection.run(
          "UPDATE sync_record SET type = $4, cell = $5 WHERE zone = $1 AND type = $2 AND name = $3",
          place + [.text(key.type), .bytes(cell.packed())])
      }
      _ = try connection.run(
        """
        INSERT INTO sync_collection SELECT zone, type, count(*) FROM sync_record GROUP BY zone, type
        ON CONFLICT (zone, type) DO UPDATE SET records = excluded.records
        """)
      _ = try connection.run("DELETE FROM sync_collection WHERE type LIKE 'CD\\_%'")
    }

    private static func converted(_ key: RecordKey, _ bytes: [UInt8]) throws(BackendError) -> (RecordKey, Cell) {
      do {
        return try OldCell.converted(key, packed: bytes)
      } catch {
        throw .storage("PostgreSQL holds a damaged record of an earlier version, '\(key)': \(error)")
      }
    }
  }
#endif
