#if Network
  import SyncCore
  import SyncEngine

  extension PostgresZone {
    /// Reads a page of changes; see `SyncBackend`.
    ///
    /// One statement returns the zone's cursor and its records at the same moment. If many records must be visited to
    /// find a few, several statements are needed. Changes made between them get later sequence numbers, so a later
    /// statement reads them.
    static func page(
      _ zone: String, _ connection: ZoneConnection, since cursor: Cursor?, _ limit: Int, _ maximumBytes: Int,
      _ reader: ZoneReader, _ subscription: SyncSubscription?, _ store: StoreIdentity?
    ) throws(BackendError) -> ChangePage {
      var (builder, before): (ChangePageBuilder?, (cursor: Cursor, dropped: Dropped)?)
      while true {
        let most = subscription == nil ? min(max(limit, 1), SyncLimits.records) + 1 : SyncLimits.records + 1
        let rows = try connection.run(
          """
          SELECT z.generation, z.seq, (extract(epoch FROM clock_timestamp()) * 1000)::int8,
            r.type, r.name, r.version, r.seq, r.cell, z.dropped_seq, z.dropped_life,
            z.tag, \(tag(of: "$4::int8")), \(tag(of: "$5::int8")),
            (SELECT identity FROM sync_store)
          FROM sync_zone z LEFT JOIN LATERAL (
            SELECT * FROM sync_record WHERE zone = z.name AND seq > $2::int8 ORDER BY seq LIMIT $3::int8) r ON true
          WHERE z.name = $1 ORDER BY r.seq
          """,
          [
            .text(zone), .integer(builder?.end ?? cursor?.sequence ?? 0), .integer(Int64(most)),
            .integer(cursor?.sequence ?? 0), .integer(reader.heard?.sequence ?? 0),
          ])
        guard rows.count > 0 else { throw .zoneMissing(zone) }
        let own = try identity(rows, 13)
        if let store, store != own { throw .otherStore(own) }
        let present = Cursor(
          generation: UInt64(bitPattern: rows.integer(0, 0)), sequence: rows.integer(0, 1),
          tag: UInt64(bitPattern: rows.integer(0, 10)))
        for (known, column) in [(cursor, 11), (reader.heard, 12)] {
          guard let known else { continue }
          if UInt64(bitPattern: rows.integer(0, column)) != known.tag { throw .cursorExpired }
          if known.generation != present.generation || known.sequence > present.sequence,
            try !incarnations(zone, connection).incarnations.holds(known, last: present.sequence)
          {
            throw .cursorExpired
          }
        }
        let number = { (number: Int64) throws(BackendError) in
          UInt64(
            bitPattern: try connection.run("SELECT \(tag(of: "$2::int8"))", [.text(zone), .integer(number)])
              .integer(0, 0))
        }
        let dropped = Dropped(sequence: rows.integer(0, 8), incarnation: rows.integer(0, 9))
        // A deletion that was forgotten between two statements may be missing from the second one.
        if let before, before.dropped != dropped || before.cursor.generation != present.generation, let builder {
          return try builder.page(
            at: before.cursor, in: own, serverMilliseconds: rows.integer(0, 2), dropped: before.dropped,
            isCut: true, tag: number)
        }
        var page =
          builder
          ?? ChangePageBuilder(
            subscription, since: cursor, present: present.sequence, limit: limit, maximumBytes: maximumBytes)
        var isFull = false
        for row in 0..<rows.count where !rows.isNull(row, 5) && !isFull {
          let packed = rows.bytes(row, 7)
          let record = SyncRecord(
            key: RecordKey(type: rows.text(row, 3), name: rows.text(row, 4)), version: rows.integer(row, 5),
            sequence: rows.integer(row, 6), cell: try cell(packed))
          isFull = !page.take(record, bytes: packed.count)
        }
        if isFull || rows.count < most {
          return try page.page(
            at: present, in: own, serverMilliseconds: rows.integer(0, 2), dropped: dropped,
            tag: number)
        }
        (builder, before) = (page, (present, dropped))
      }
    }
  }
#endif
