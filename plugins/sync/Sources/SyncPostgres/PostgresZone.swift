#if Network
  import FlowPostgres
  import SyncCore
  import SyncEngine

  /// The tables that store zones, and the statements that access them.
  enum PostgresZone {
    /// The statement that acquires the lock for creating tables, until the end of the transaction.
    static let makingLock = "SELECT pg_advisory_xact_lock(7237106)"

    /// The statements that create missing tables. The lock prevents servers that start at the same time from creating a
    /// table twice.
    static let schema =
      [
        makingLock,
        """
        CREATE TABLE IF NOT EXISTS sync_zone (
          name text PRIMARY KEY, generation int8 NOT NULL, seq int8 NOT NULL, dropped_seq int8 NOT NULL DEFAULT 0,
          dropped_life int8 NOT NULL DEFAULT 0, tag int8 NOT NULL DEFAULT 0, is_converted boolean NOT NULL DEFAULT false)
        """,
        """
        CREATE TABLE IF NOT EXISTS sync_record (
          zone text NOT NULL, type text NOT NULL, name text NOT NULL, version int8 NOT NULL, seq int8 NOT NULL,
          cell bytea NOT NULL, deleted_life int8, PRIMARY KEY (zone, type, name))
        """,
        "CREATE INDEX IF NOT EXISTS sync_record_by_sequence ON sync_record (zone, seq)",
        """
        CREATE TABLE IF NOT EXISTS sync_life (
          number bigserial PRIMARY KEY, zone text NOT NULL, generation int8 NOT NULL, from_seq int8 NOT NULL)
        """,
        """
        CREATE INDEX IF NOT EXISTS sync_record_deleted ON sync_record (zone, seq) WHERE deleted_life IS NOT NULL
        """,
        "CREATE TABLE IF NOT EXISTS sync_age (zone text PRIMARY KEY, notes bytea NOT NULL)",
        """
        CREATE TABLE IF NOT EXISTS sync_collection (
          zone text NOT NULL, type text NOT NULL, records int8 NOT NULL, most int8, PRIMARY KEY (zone, type))
        """,
        """
        CREATE TABLE IF NOT EXISTS sync_tag (
          zone text NOT NULL, seq int8 NOT NULL, tag int8 NOT NULL, PRIMARY KEY (zone, seq))
        """,
        """
        CREATE TABLE IF NOT EXISTS sync_act (
          zone text NOT NULL, device text NOT NULL, incarnation int8 NOT NULL, number int8 NOT NULL,
          checksum int8 NOT NULL, PRIMARY KEY (zone, device, incarnation, number, checksum))
        """,
        """
        CREATE TABLE IF NOT EXISTS sync_given_back (
          zone text NOT NULL, device text NOT NULL, number int8 NOT NULL, PRIMARY KEY (zone, device))
        """,
        "CREATE TABLE IF NOT EXISTS sync_store (is_only boolean PRIMARY KEY CHECK (is_only), identity text NOT NULL)",
        """
        INSERT INTO sync_store VALUES (true, replace(gen_random_uuid()::text, '-', '')) ON CONFLICT DO NOTHING
        """,
      ].map { PostgresStatement(sql: $0, parameters: []) } + counting

    /// Throws if the database contains a zone in the format of an unpublished version. Does not change the database.
    static func refuseRemoved(_ connection: ZoneConnection) throws(BackendError) {
      let tables = try connection.run(
        """
        SELECT EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass('sync_zone') AND attname = 'is_converted')::int
        WHERE to_regclass('sync_zone') IS NOT NULL
        """)
      if tables.count == 0 { return }
      let condition = tables.integer(0, 0) == 1 ? " WHERE NOT is_converted" : ""
      let zones = try connection.run("SELECT name FROM sync_zone\(condition) ORDER BY name LIMIT 1")
      if zones.count == 0 { return }
      throw .storage(
        "the database has a zone, '\(zones.text(0, 0))', of a version before 0.9.0, which this version does not read; name another database, and devices with 'on-other-store: merge' fill it"
      )
    }

    /// Returns the statements that create a missing zone with its first incarnation.
    static func make(_ zone: String) -> [PostgresStatement] {
      [
        PostgresStatement(
          sql: """
            INSERT INTO sync_zone (name, generation, seq, is_converted) VALUES ($1, $2::int8, 0, true)
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

    // MARK: The store

    /// Throws if the database has no store. Only reads.
    static func requireStore(_ connection: ZoneConnection) throws(BackendError) {
      if try connection.run("SELECT 1 WHERE to_regclass('sync_zone') IS NOT NULL").count == 1 { return }
      throw .storage("the database has no store of a sync server; check its name")
    }

    /// Reads the identity of the store.
    static func identity(_ connection: ZoneConnection) throws(BackendError) -> StoreIdentity {
      try identity(try connection.run("SELECT identity FROM sync_store"), 0)
    }

    /// Returns the identity of the store from a column of the first row. Throws if it is missing.
    static func identity(_ rows: PostgresRows, _ column: Int) throws(BackendError) -> StoreIdentity {
      guard rows.count > 0, !rows.isNull(0, column), let identity = StoreIdentity(rows.text(0, column)) else {
        throw .storage("the database has lost the store's identity: restore it from a backup")
      }
      return identity
    }

    static func setIdentity(_ identity: StoreIdentity) -> PostgresStatement {
      PostgresStatement(sql: "UPDATE sync_store SET identity = $1", parameters: [.text(identity.description)])
    }

    // MARK: Records

    /// Reads the zone's cursor, the clock, a record, and the limits up to which the zone has forgotten deletions.
    /// Columns: generation, seq, milliseconds; version, seq and cell of the record; seq and incarnation of the limits;
    /// tag of the cursor.
    static func read(_ key: RecordKey, zone: String) -> PostgresStatement {
      PostgresStatement(
        sql: """
          SELECT z.generation, z.seq, (extract(epoch FROM clock_timestamp()) * 1000)::int8, r.version, r.seq, r.cell,
            z.dropped_seq, z.dropped_life, z.tag
          FROM sync_zone z LEFT JOIN sync_record r ON r.zone = z.name AND r.type = $2 AND r.name = $3 WHERE z.name = $1
          """, parameters: [.text(zone), .text(key.type), .text(key.name)])
    }

    /// Returns the record from the result of `read`, or nil if it does not exist.
    static func record(_ key: RecordKey, _ rows: PostgresRows) throws(BackendError) -> SyncRecord? {
      if rows.isNull(0, 3) { return nil }
      return SyncRecord(
        key: key, version: rows.integer(0, 3), sequence: rows.integer(0, 4), cell: try cell(rows.bytes(0, 5)))
    }

    /// Stores a cell if the record has the expected version and the zone has not forgotten any deletion since
    /// `slot.dropped`. Returns seq and generation, or no row if a condition is not met. If `isWhole` is true, the
    /// statement then fails, which rolls back its transaction.
    ///
    /// The first statement of a transaction in a zone locks the zone's row, so that commits become visible in the order
    /// of their sequence numbers. It reserves numbers for all changes of the transaction in this zone; the last
    /// `behind` numbers belong to later statements. It also sets the zone's tag to the tag of the transaction; `keep`
    /// stores the tag with the last number.
    ///
    /// A cached record is changed only if the zone has the generation of `assumed` and at least its sequence number.
    static func swap(
      _ slot: CommitBatch.Slot, tag: UInt64, behind: Int64, assumed: Cursor?, isWhole: Bool, isFirst: Bool
    ) -> PostgresStatement {
      let (name, names) = (slot.name, slot.names)
      var parameters: [PostgresParameter] = [
        .text(name.zone), .text(name.key.type), .text(name.key.name), .integer(slot.stored?.version ?? 0),
        .integer(slot.changes), .bytes(slot.packed), .integer(slot.deletedIncarnation ?? -1),
        .integer(slot.dropped.sequence), .integer(Int64(bitPattern: tag)),
      ]
      parameters += columns(names.acts)
      parameters.append(.integer(behind))
      if let assumed {
        parameters += [.integer(Int64(bitPattern: assumed.generation)), .integer(assumed.sequence)]
      }
      let change: Change = assumed != nil ? .update : isWhole ? .partOfTransaction : .insertion
      let text = SwapText(change: change, isFirst: isFirst, hasOneAct: names.acts.count == 1)
      var sql = swapTexts[text] ?? text.sql()
      if !names.givenBack.isEmpty {
        sql = text.sql(keepsGivenBack(from: parameters.count + 1))
        parameters += [array(names.givenBack.map(\.device)), array(names.givenBack.map(\.number))]
      }
      return PostgresStatement(sql: sql, parameters: parameters)
    }

    private enum Change: CaseIterable { case update, partOfTransaction, insertion }

    /// The properties that determine the SQL text of a swap.
    private struct SwapText: Hashable {
      var change: Change
      var isFirst: Bool
      var hasOneAct: Bool

      /// Returns the SQL text. `more` is inserted before the final SELECT.
      func sql(_ more: String = "") -> String {
        let numbers = isFirst ? takesNumbers : hasNumbers
        let change =
          switch change {
          case .update: numbers("seq", " AND generation = $15::int8 AND seq >= $16::int8") + update
          case .partOfTransaction: numbers(unlessDropped, "") + partOfTransaction
          case .insertion: numbers("seq", "") + insertion
          }
        return change + keepsActs(from: hasOneAct ? oneAct : manyActs) + more
          + "\nSELECT seq, generation FROM swapped"
      }
    }

    /// The texts without `more`, which are created only once.
    private static let swapTexts: [SwapText: String] = {
      var texts: [SwapText: String] = [:]
      for change in Change.allCases {
        for (isFirst, hasOneAct) in [(true, true), (true, false), (false, true), (false, false)] {
          let text = SwapText(change: change, isFirst: isFirst, hasOneAct: hasOneAct)
          texts[text] = text.sql()
        }
      }
      return texts
    }()

    /// Returns the part that stores the acts accepted by a swap.
    private static func keepsActs(from acts: String) -> String {
      ", acts AS (INSERT INTO sync_act SELECT $1, a.* FROM swapped, \(acts) a ON CONFLICT DO NOTHING)"
    }
    private static let manyActs = "unnest($10::text[], $11::int8[], $12::int8[], $13::int8[])"
    /// Usually there is only one act. It is passed without arrays.
    private static let oneAct = "(SELECT $10::text, $11::int8, $12::int8, $13::int8)"

    private static func keepsGivenBack(from number: Int) -> String {
      """
      , given AS (INSERT INTO sync_given_back
        SELECT $1, g.* FROM swapped, unnest($\(number)::text[], $\(number + 1)::int8[]) g
        ON CONFLICT (zone, device) DO UPDATE SET number = greatest(sync_given_back.number, excluded.number))
      """
    }

    private static func columns(_ acts: [TakenNames.Act]) -> [PostgresParameter] {
      if acts.count == 1 {
        return [
          .text(acts[0].name.dot.device.name), .integer(Int64(bitPattern: acts[0].name.incarnation)),
          .integer(acts[0].name.dot.number), .integer(Int64(acts[0].check)),
        ]
      }
      return [
        array(acts.map(\.name.dot.device)), array(acts.map { Int64(bitPattern: $0.name.incarnation) }),
        array(acts.map(\.name.dot.number)), array(acts.map(\.check)),
      ]
    }

    /// Returns the state of an act in a zone.
    static func taken(
      _ name: ActName, zone: String, _ connection: ZoneConnection
    ) throws(BackendError) -> TakenAct {
      let rows = try connection.run(
        """
        SELECT checksum, NULL FROM sync_act WHERE zone = $1 AND device = $2 AND incarnation = $3::int8
          AND number = $4::int8
        UNION ALL SELECT NULL, number FROM sync_given_back WHERE zone = $1 AND device = $2
        """,
        [
          .text(zone), .text(name.dot.device.name), .integer(Int64(bitPattern: name.incarnation)),
          .integer(name.dot.number),
        ])
      let checks = (0..<rows.count).filter { !rows.isNull($0, 0) }.map {
        UInt32(truncatingIfNeeded: rows.integer($0, 0))
      }
      let givenBack = (0..<rows.count).first { !rows.isNull($0, 1) }.map { rows.integer($0, 1) }
      return TakenAct(checks: checks, givenBack: givenBack, number: name.dot.number)
    }

    /// Returns the beginning of the statement for the first swap in a zone. It reserves sequence numbers and sets the
    /// tag.
    private static func takesNumbers(_ sequence: String, _ condition: String) -> String {
      """
      WITH place AS (UPDATE sync_zone SET seq = seq + $5::int8 + $14::int8, tag = $9::int8 WHERE name = $1\(condition)
        RETURNING \(sequence) - $14::int8 AS seq, generation, dropped_seq),
      """
    }
    /// Returns the beginning of the statement for later swaps. If the first swap failed, the zone has another tag, so
    /// no row is found.
    private static func hasNumbers(_ sequence: String, _ condition: String) -> String {
      """
      WITH place AS (SELECT \(sequence) - $14::int8 AS seq, generation, dropped_seq FROM sync_zone
        WHERE name = $1 AND tag = $9::int8\(condition)),
      """
    }
    private static let unlessDropped = "CASE WHEN dropped_seq <= $8::int8 THEN seq ELSE 1 / (seq - seq) END"

    /// The text for a cached record. The record exists, so it is updated and never inserted. This costs 14 % less in
    /// PostgreSQL.
    private static let update = """
      swapped AS (UPDATE sync_record r SET version = $4::int8 + $5::int8, seq = place.seq, cell = $6,
        deleted_life = nullif($7::int8, -1)
      FROM place WHERE r.zone = $1 AND r.type = $2 AND r.name = $3 AND r.version = $4::int8
        AND place.dropped_seq <= $8::int8 RETURNING r.seq, place.generation)
      """

    private static let insertion = insertion(
      end: """
        version = excluded.version, seq = excluded.seq, cell = excluded.cell,
          deleted_life = excluded.deleted_life WHERE sync_record.version = $4::int8
        """)

    /// The text for a part of a transaction. If the record has another version, the statement divides by zero, which
    /// rolls back the whole transaction.
    private static let partOfTransaction = insertion(
      end: """
        version = CASE WHEN sync_record.version = $4::int8 THEN excluded.version
          ELSE 1 / (sync_record.version - sync_record.version) END, seq = excluded.seq, cell = excluded.cell,
          deleted_life = excluded.deleted_life
        """)

    private static func insertion(end: String) -> String {
      """
      swapped AS (INSERT INTO sync_record (zone, type, name, version, seq, cell, deleted_life)
      SELECT $1, $2, $3, $4::int8 + $5::int8, place.seq, $6, nullif($7::int8, -1) FROM place
      WHERE place.dropped_seq <= $8::int8
      ON CONFLICT (zone, type, name) DO UPDATE SET \(end) RETURNING seq, (SELECT generation FROM place) AS generation)
      """
    }

    /// The cached rules of a collection, identified by their version. The version is 0 if there are none.
    struct AssumedRules: Hashable {
      var zone: String
      var collection: String
      var version: Int64
    }

    /// Returns the statement that fails its transaction if a collection's rules differ from the cached ones. It runs
    /// after the swaps, which have locked the zones' rows, so no other transaction can change the rules before this one
    /// ends.
    static func require(_ rules: [AssumedRules]) -> PostgresStatement {
      PostgresStatement(
        sql: """
          SELECT CASE WHEN bool_and(coalesce(r.version, 0) = c.version) THEN 1 ELSE 1 / (count(*) - count(*)) END
          FROM unnest($1::text[], $2::text[], $3::int8[]) AS c(zone, name, version)
          LEFT JOIN sync_record r ON r.zone = c.zone AND r.type = $4 AND r.name = c.name
          """,
        parameters: [
          array(rules.map(\.zone)), array(rules.map(\.collection)), array(rules.map(\.version)), .text(ZoneRules.type),
        ])
    }

    /// Formats values as an array. Each value is quoted, so that a device named `NULL` is not read as null. The values
    /// themselves contain no quotes.
    private static func array(_ values: [some CustomStringConvertible]) -> PostgresParameter {
      .text("{\(values.map { "\"\($0)\"" }.joined(separator: ","))}")
    }

    // MARK: Tags

    /// Returns the statement that stores a transaction's tag with its last sequence number in each of these zones.
    static func keep(_ tag: UInt64, in zones: [String]) -> PostgresStatement {
      PostgresStatement(
        sql: """
          INSERT INTO sync_tag SELECT name, seq, tag FROM sync_zone WHERE name = ANY($1::text[]) AND tag = $2::int8
          ON CONFLICT (zone, seq) DO UPDATE SET tag = excluded.tag
          """, parameters: [array(zones), .integer(Int64(bitPattern: tag))])
    }

    /// Returns the statement that removes the oldest tags of a zone.
    static func forgetTags(_ zone: String) -> PostgresStatement {
      PostgresStatement(
        sql: "DELETE FROM sync_tag WHERE zone = $1 AND seq < (SELECT seq FROM sync_zone WHERE name = $1) - $2::int8",
        parameters: [.text(zone), .integer(CommitTags.limit)])
    }

    /// Returns the SQL for the tag of a sequence number: the tag of the commit that assigned it, or 0 if it is unknown.
    static func tag(of number: String) -> String {
      """
      CASE WHEN \(number) <= 0 THEN 0 ELSE coalesce(
        (SELECT t.tag FROM sync_tag t WHERE t.zone = $1 AND t.seq >= \(number) ORDER BY t.seq LIMIT 1), 0) END
      """
    }

    /// Returns the statement that fails its transaction unless the zone's history contains all of these cursors.
    static func require(_ cursors: [Cursor], zone: String) -> PostgresStatement {
      PostgresStatement(
        sql: """
          SELECT CASE WHEN bool_and(c.seq <= z.seq AND c.tag = \(tag(of: "c.seq"))
            AND EXISTS (SELECT 1 FROM sync_life l WHERE l.zone = $1 AND l.generation = c.generation))
            THEN 1 ELSE 1 / (count(*) - count(*)) END
          FROM sync_zone z, unnest($2::int8[], $3::int8[], $4::int8[]) AS c(generation, seq, tag) WHERE z.name = $1
          """,
        parameters: [
          .text(zone), array(cursors.map { Int64(bitPattern: $0.generation) }), array(cursors.map(\.sequence)),
          array(cursors.map { Int64(bitPattern: $0.tag) }),
        ])
    }

    static func cell(_ bytes: [UInt8]) throws(BackendError) -> Cell {
      do {
        return try Cell(packed: bytes)
      } catch {
        if case .unsupportedFormat = error { throw .unsupportedFormat("\(error)") }
        throw .storage("PostgreSQL holds a damaged record: \(error)")
      }
    }

    // MARK: Incarnations

    /// Returns the statements that start an incarnation after the zone's current cursor and remove the oldest ones if
    /// there are too many. The zone's row is locked before the incarnation gets its number, so the numbers have the
    /// order of the incarnations.
    static func beginIncarnation(_ zone: String) -> [PostgresStatement] {
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
            """, parameters: [.text(zone), .integer(Int64(ZoneIncarnations.limit))]),
      ]
    }

    /// Returns the statement that removes all incarnations except the current one.
    static func forgetOtherIncarnations(_ zone: String) -> PostgresStatement {
      PostgresStatement(
        sql: """
          DELETE FROM sync_life WHERE zone = $1
          AND generation <> (SELECT generation FROM sync_zone WHERE name = $1)
          """, parameters: [.text(zone)])
    }

    /// Reads a zone's incarnations and its current cursor in one statement.
    static func incarnations(
      _ zone: String, _ connection: ZoneConnection
    ) throws(BackendError) -> (incarnations: ZoneIncarnations, cursor: Cursor) {
      let rows = try connection.run(
        """
        SELECT z.generation, z.seq, l.generation, l.from_seq FROM sync_zone z
        LEFT JOIN sync_life l ON l.zone = z.name WHERE z.name = $1 ORDER BY l.number
        """, [.text(zone)])
      guard rows.count > 0 else { throw .zoneMissing(zone) }
      let incarnations = (0..<rows.count).filter { !rows.isNull($0, 2) }.map {
        ZoneIncarnations.Incarnation(generation: UInt64(bitPattern: rows.integer($0, 2)), from: rows.integer($0, 3))
      }
      return (
        ZoneIncarnations(incarnations),
        Cursor(generation: UInt64(bitPattern: rows.integer(0, 0)), sequence: rows.integer(0, 1))
      )
    }
  }
#endif
