#if Network
  import FlowPostgres
  import SyncCore
  import SyncEngine

  /// The tables of the zones and the statements on them.
  enum PostgresZone {
    /// Makes the tables where they are missing. Two servers that start together must not make the same table twice.
    static let schema =
      [
        "SELECT pg_advisory_xact_lock(7237106)",
        "CREATE TABLE IF NOT EXISTS sync_zone (name text PRIMARY KEY, generation int8 NOT NULL, seq int8 NOT NULL)",
        """
        CREATE TABLE IF NOT EXISTS sync_record (
          zone text NOT NULL, type text NOT NULL, name text NOT NULL, version int8 NOT NULL, seq int8 NOT NULL,
          cell bytea NOT NULL, PRIMARY KEY (zone, type, name))
        """,
        "CREATE INDEX IF NOT EXISTS sync_record_by_sequence ON sync_record (zone, seq)",
        """
        CREATE TABLE IF NOT EXISTS sync_life (
          number bigserial PRIMARY KEY, zone text NOT NULL, generation int8 NOT NULL, from_seq int8 NOT NULL)
        """,
        """
        ALTER TABLE sync_zone ADD COLUMN IF NOT EXISTS dropped_seq int8 NOT NULL DEFAULT 0,
        ADD COLUMN IF NOT EXISTS dropped_life int8 NOT NULL DEFAULT 0
        """,
        "ALTER TABLE sync_record ADD COLUMN IF NOT EXISTS deleted_life int8",
        """
        CREATE INDEX IF NOT EXISTS sync_record_deleted ON sync_record (zone, seq) WHERE deleted_life IS NOT NULL
        """,
        """
        CREATE TABLE IF NOT EXISTS sync_seen (
          zone text NOT NULL, device text NOT NULL, seq int8 NOT NULL, at timestamptz NOT NULL,
          PRIMARY KEY (zone, device))
        """,
        // From here on every reader is noted. Those that read before were not: they are waited for like one that is silent.
        "ALTER TABLE sync_zone ADD COLUMN IF NOT EXISTS notes_readers boolean NOT NULL DEFAULT false",
        """
        INSERT INTO sync_seen SELECT name, '', 0, clock_timestamp() FROM sync_zone WHERE NOT notes_readers AND seq > 0
        ON CONFLICT (zone, device) DO UPDATE SET at = excluded.at
        """,
        "UPDATE sync_zone SET notes_readers = true WHERE NOT notes_readers",
        """
        CREATE TABLE IF NOT EXISTS sync_collection (
          zone text NOT NULL, type text NOT NULL, records int8 NOT NULL, most int8, PRIMARY KEY (zone, type))
        """,
      ].map { PostgresStatement(sql: $0, parameters: []) } + counting

    /// Makes a zone that is not there, with its first life.
    static func make(_ zone: String) -> [PostgresStatement] {
      [
        PostgresStatement(
          sql: """
            INSERT INTO sync_zone (name, generation, seq, notes_readers) VALUES ($1, $2::int8, 0, true)
            ON CONFLICT DO NOTHING
            """,
          parameters: [.text(zone), .integer(.random(in: 1 ... .max))]),
        PostgresStatement(
          sql: """
            INSERT INTO sync_life (zone, generation, from_seq) SELECT name, generation, 0 FROM sync_zone
            WHERE name = $1 AND NOT EXISTS (SELECT 1 FROM sync_life WHERE zone = $1)
            """, parameters: [.text(zone)]),
      ]
    }

    // MARK: Records

    /// The zone's cursor, the clock, a record and what was forgotten: generation, seq, milliseconds, version, seq, cell,
    /// the last deletion, the life.
    static func read(_ key: RecordKey, zone: String) -> PostgresStatement {
      PostgresStatement(
        sql: """
          SELECT z.generation, z.seq, (extract(epoch FROM clock_timestamp()) * 1000)::int8, r.version, r.seq, r.cell,
            z.dropped_seq, z.dropped_life
          FROM sync_zone z LEFT JOIN sync_record r ON r.zone = z.name AND r.type = $2 AND r.name = $3 WHERE z.name = $1
          """, parameters: [.text(zone), .text(key.type), .text(key.name)])
    }

    /// The record of a row that `read` gave, nil when there is none.
    static func record(_ key: RecordKey, _ rows: PostgresRows) throws(BackendError) -> Record? {
      if rows.isNull(0, 3) { return nil }
      return Record(
        key: key, version: rows.integer(0, 3), sequence: rows.integer(0, 4), cell: try cell(rows.bytes(0, 5)))
    }

    /// What a decision rests on that was not read for it: the swap finds nothing where the database says otherwise.
    struct Assumption {
      /// The zone's life, and how far it had come in it at least.
      var cursor: Cursor
      /// The record with the collection's rules and its version, 0 for none; nil where it was read.
      var rules: (key: RecordKey, version: Int64)?
    }

    /// Puts a cell in, if the record has the version expected and the zone has forgotten nothing since `dropped`: seq,
    /// generation; no row if not. The zone's row is locked first: inside a zone the order of commits is the order of
    /// sequence numbers.
    static func swap(
      _ key: RecordKey, zone: String, expected: Int64, changes: Int64, packed: [UInt8], deletedLife: Int64?,
      dropped: Dropped, assuming assumption: Assumption? = nil, isWhole: Bool = false
    ) -> PostgresStatement {
      let sql =
        if let assumption { updates[assumption.rules == nil ? 0 : 1] } else { isWhole ? partOfTransaction : insertion }
      return PostgresStatement(
        sql: sql,
        parameters: [
          .text(zone), .text(key.type), .text(key.name), .integer(expected), .integer(changes), .bytes(packed),
          .integer(deletedLife ?? -1), .integer(dropped.sequence),
        ] + (assumption.map(parameters) ?? []))
    }

    /// What is known without having been read is there: it is changed and never made, which costs PostgreSQL a seventh less.
    /// Where only the zone is assumed, and where the rules of the collection are too.
    private static let updates = [
      "",
      """
      AND $13::int8 = coalesce((SELECT version FROM sync_record WHERE zone = $1 AND type = $11 AND name = $12), 0)
      """,
    ].map { sameRules in
      """
      WITH place AS (UPDATE sync_zone SET seq = seq + $5::int8
        WHERE name = $1 AND generation = $9::int8 AND seq >= $10::int8 RETURNING seq, generation, dropped_seq)
      UPDATE sync_record r SET version = $4::int8 + $5::int8, seq = place.seq, cell = $6,
        deleted_life = nullif($7::int8, -1)
      FROM place WHERE r.zone = $1 AND r.type = $2 AND r.name = $3 AND r.version = $4::int8
        AND place.dropped_seq <= $8::int8 \(sameRules) RETURNING r.seq, place.generation
      """
    }

    private static let insertion = insertion(
      place: "seq",
      end: """
        version = excluded.version, seq = excluded.seq, cell = excluded.cell,
          deleted_life = excluded.deleted_life WHERE sync_record.version = $4::int8
        """)

    /// A transaction's part that finds another version divides by zero, which takes all parts back.
    private static let partOfTransaction = insertion(
      place: "CASE WHEN dropped_seq <= $8::int8 THEN seq ELSE 1 / (seq - seq) END AS seq",
      end: """
        version = CASE WHEN sync_record.version = $4::int8 THEN excluded.version
          ELSE 1 / (sync_record.version - sync_record.version) END, seq = excluded.seq, cell = excluded.cell,
          deleted_life = excluded.deleted_life
        """)

    private static func insertion(place: String, end: String) -> String {
      """
      WITH place AS (UPDATE sync_zone SET seq = seq + $5::int8 WHERE name = $1
        RETURNING \(place), generation, dropped_seq)
      INSERT INTO sync_record (zone, type, name, version, seq, cell, deleted_life)
      SELECT $1, $2, $3, $4::int8 + $5::int8, place.seq, $6, nullif($7::int8, -1) FROM place
      WHERE place.dropped_seq <= $8::int8
      ON CONFLICT (zone, type, name) DO UPDATE SET \(end) RETURNING seq, (SELECT generation FROM place)
      """
    }

    private static func parameters(_ assumption: Assumption) -> [PostgresParameter] {
      [.integer(Int64(bitPattern: assumption.cursor.generation)), .integer(assumption.cursor.sequence)]
        + (assumption.rules.map { [.text($0.key.type), .text($0.key.name), .integer($0.version)] } ?? [])
    }

    static func cell(_ bytes: [UInt8]) throws(BackendError) -> Cell {
      do {
        return try Cell(packed: bytes)
      } catch {
        if case .unsupportedFormat = error { throw .unsupportedFormat("\(error)") }
        throw .storage("PostgreSQL holds a damaged record: \(error)")
      }
    }

    // MARK: Lives

    /// Begins a life behind the zone's present cursor and forgets the oldest. The zone's row is locked before the life is
    /// numbered, so that the numbers are in the order of the lives.
    static func beginLife(_ zone: String) -> [PostgresStatement] {
      [
        PostgresStatement(
          sql: """
            WITH place AS (UPDATE sync_zone SET generation = $2::int8 WHERE name = $1 RETURNING seq)
            INSERT INTO sync_life (zone, generation, from_seq) SELECT $1, $2::int8, place.seq FROM place
            """, parameters: [.text(zone), .integer(.random(in: 1 ... .max))]),
        PostgresStatement(
          sql: """
            DELETE FROM sync_life WHERE zone = $1
            AND number <= (SELECT number FROM sync_life WHERE zone = $1 ORDER BY number DESC OFFSET $2::int8 LIMIT 1)
            """, parameters: [.text(zone), .integer(Int64(ZoneLives.limit))]),
      ]
    }

    /// Forgets every life but the present.
    static func forgetOtherLives(_ zone: String) -> PostgresStatement {
      PostgresStatement(
        sql: """
          DELETE FROM sync_life WHERE zone = $1
          AND generation <> (SELECT generation FROM sync_zone WHERE name = $1)
          """, parameters: [.text(zone)])
    }

    /// The lives of a zone and its present cursor, of one moment.
    static func lives(
      _ zone: String, _ connection: ZoneConnection
    ) throws(BackendError) -> (lives: ZoneLives, cursor: Cursor) {
      let rows = try connection.run(
        """
        SELECT z.generation, z.seq, l.generation, l.from_seq FROM sync_zone z
        LEFT JOIN sync_life l ON l.zone = z.name WHERE z.name = $1 ORDER BY l.number
        """, [.text(zone)])
      guard rows.count > 0 else { throw .zoneMissing(zone) }
      let lives = (0..<rows.count).filter { !rows.isNull($0, 2) }.map {
        ZoneLives.Life(generation: UInt64(bitPattern: rows.integer($0, 2)), from: rows.integer($0, 3))
      }
      return (
        ZoneLives(lives), Cursor(generation: UInt64(bitPattern: rows.integer(0, 0)), sequence: rows.integer(0, 1))
      )
    }
  }
#endif
