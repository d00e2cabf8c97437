#if Server
  import SyncBlocking
  import SyncCore
  import SyncEngine
  import Synchronization

  /// Zones in PostgreSQL, for any number of server processes in front of one database.
  ///
  /// A commit reads the record and then swaps it in one statement that takes the zone's row first: inside a zone the order
  /// of commits is the order of sequence numbers, so a reader never skips one. Pokes travel by NOTIFY after the commit,
  /// never inside it: the lock that NOTIFY takes is the whole database's. Whenever a connection has to be opened again the
  /// database may be another copy: then the next commit begins a new life of the zone.
  public final class PostgresBackend: SyncBackend {
    private let zones: [String: any MergePolicy]
    private let lines: [Line]
    private let pokes = PokeHub()
    private let notifier: PostgresNotifier
    private let begun = BegunZones()

    private static let schema = [
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
    ]

    private static let firstLife = """
      INSERT INTO sync_life (zone, generation, from_seq) SELECT name, generation, 0 FROM sync_zone
      WHERE name = $1 AND NOT EXISTS (SELECT 1 FROM sync_life WHERE zone = $1)
      """

    /// The zone's row is locked before the life is numbered, so that the numbers are in the order of the lives.
    private static let beginLife = """
      WITH place AS (UPDATE sync_zone SET generation = $2::int8 WHERE name = $1 RETURNING seq)
      INSERT INTO sync_life (zone, generation, from_seq) SELECT $1, $2::int8, place.seq FROM place
      """

    private static let forgetLives = """
      DELETE FROM sync_life WHERE zone = $1
      AND number <= (SELECT number FROM sync_life WHERE zone = $1 ORDER BY number DESC OFFSET $2::int8 LIMIT 1)
      """

    private static let read = """
      SELECT z.generation, z.seq, (extract(epoch FROM clock_timestamp()) * 1000)::int8, r.version, r.seq, r.cell
      FROM sync_zone z LEFT JOIN sync_record r ON r.zone = z.name AND r.type = $2 AND r.name = $3 WHERE z.name = $1
      """

    private static let swap = """
      WITH place AS (UPDATE sync_zone SET seq = seq + 1 WHERE name = $1 RETURNING seq, generation)
      INSERT INTO sync_record (zone, type, name, version, seq, cell)
      SELECT $1, $2, $3, $4::int8 + 1, place.seq, $5 FROM place
      ON CONFLICT (zone, type, name) DO UPDATE SET version = excluded.version, seq = excluded.seq, cell = excluded.cell
      WHERE sync_record.version = $4::int8 RETURNING seq, (SELECT generation FROM place)
      """

    /// Connects and makes the tables where they are missing; `information` is libpq's, such as `host=/run/db dbname=sync`.
    ///
    /// Throws `BackendError.unreachable` when the database is not there.
    public init(
      _ information: String, zones: [String: any MergePolicy], connections: Int = 4
    ) async throws(BackendError) {
      self.zones = zones
      lines = (0..<max(1, connections)).map { [begun] in
        Line(name: "sync-postgres-\($0)", information) { begun.forgetAll() }
      }
      notifier = PostgresNotifier(information, hub: pokes)
      let names = Array(zones.keys)
      try await lines[0].perform { connection throws(BackendError) in
        // Two servers that start together must not make the same table twice.
        _ = try connection.run("SELECT pg_advisory_lock(7237106)")
        for statement in Self.schema { _ = try connection.run(statement) }
        for name in names {
          _ = try connection.run(
            "INSERT INTO sync_zone VALUES ($1, $2::int8, 0) ON CONFLICT DO NOTHING",
            [.text(name), .integer(.random(in: 1 ... .max))])
          _ = try connection.run(Self.firstLife, [.text(name)])
        }
        _ = try connection.run("SELECT pg_advisory_unlock(7237106)")
      }
      // Opened now, a line that opens later opens again.
      for line in lines.dropFirst() {
        try await line.perform { connection throws(BackendError) in _ = try connection.run("SELECT 1") }
      }
      notifier.start()
    }

    /// Ends the connections.
    public func close() {
      notifier.stop()
      for line in lines { line.stop() }
    }

    /// Makes changes; see `SyncBackend`.
    public func commit(_ operations: [Operation], zone: String) async throws(BackendError) -> CommitReply {
      let policy = try policy(zone)
      guard operations.count <= SyncLimits.operations else { throw .limitExceeded }
      let reply = try await idle.perform { [begun] connection throws(BackendError) in
        if operations.count > 1 { _ = try connection.run("BEGIN") }
        do throws(BackendError) {
          let reply = try Self.commit(operations, zone, policy, connection, begun)
          if operations.count > 1 { _ = try connection.run("COMMIT") }
          return reply
        } catch {
          connection.close()
          throw error
        }
      }
      let last = reply.results.compactMap { if case .committed(_, let sequence, _) = $0 { sequence } else { nil } }
        .max()
      if let last {
        let cursor = Cursor(generation: reply.generation, sequence: last)
        pokes.publish(cursor, zone: zone)
        notifier.tell(cursor, zone: zone)
      }
      return reply
    }

    private static func commit(
      _ operations: [Operation], _ zone: String, _ policy: any MergePolicy, _ connection: PostgresConnection,
      _ begun: BegunZones
    ) throws(BackendError) -> CommitReply {
      var results: [CommitResult] = []
      var (generation, now): (UInt64, Int64) = (0, 0)
      for operation in operations {
        let (stored, place) = try record(operation.key, zone, connection)
        (generation, now) = (place.generation, place.serverMilliseconds)
        switch Arbiter.decide(operation, stored: stored, policy: policy, serverMilliseconds: now) {
        case .store(let cell, let stamp):
          if !begun.contains(zone) {
            _ = try begin(zone, connection)
            begun.insert(zone)
          }
          let rows = try connection.run(
            swap,
            [
              .text(zone), .text(operation.key.type), .text(operation.key.name), .integer(operation.expectedVersion),
              .bytes(cell.packed()),
            ])
          if rows.count == 1 {
            generation = UInt64(bitPattern: rows.integer(0, 1))
            results.append(
              .committed(version: operation.expectedVersion + 1, sequence: rows.integer(0, 0), stamp: stamp))
          } else {
            results.append(.conflict(try record(operation.key, zone, connection).record))
          }
        case .unchanged: results.append(.unchanged)
        case .conflict: results.append(.conflict(stored))
        case .refused(let refusal): results.append(.refused(refusal))
        }
      }
      if operations.isEmpty { (generation, now) = try place(zone, connection) }
      return CommitReply(results: results, generation: generation, serverMilliseconds: now)
    }

    /// Gives what changed; see `SyncBackend`.
    public func changes(
      zone: String, since cursor: Cursor?, limit: Int, maximumBytes: Int
    ) async throws(BackendError) -> ChangePage {
      _ = try policy(zone)
      let most = min(max(limit, 1), SyncLimits.records)
      return try await idle.perform { connection throws(BackendError) in
        // One statement, so that the zone's place and the records are of one moment.
        let rows = try connection.run(
          """
          SELECT z.generation, z.seq, (extract(epoch FROM clock_timestamp()) * 1000)::int8,
            r.type, r.name, r.version, r.seq, r.cell
          FROM sync_zone z LEFT JOIN LATERAL (
            SELECT * FROM sync_record WHERE zone = z.name AND seq > $2::int8 ORDER BY seq LIMIT $3::int8) r ON true
          WHERE z.name = $1 ORDER BY r.seq
          """, [.text(zone), .integer(cursor?.sequence ?? 0), .integer(Int64(most + 1))])
        guard rows.count > 0 else { throw .zoneMissing(zone) }
        let (generation, sequence) = (UInt64(bitPattern: rows.integer(0, 0)), rows.integer(0, 1))
        if let cursor, cursor.generation != generation || cursor.sequence > sequence,
          try !Self.lives(zone, connection).holds(cursor, last: sequence)
        {
          throw .cursorExpired
        }
        var (records, bytes, hasMore): ([Record], Int, Bool) = ([], 0, false)
        for row in 0..<rows.count where !rows.isNull(row, 5) {
          let packed = rows.bytes(row, 7)
          bytes += packed.count
          if records.count == most || (!records.isEmpty && bytes > maximumBytes) {
            hasMore = true
            break
          }
          records.append(
            Record(
              key: RecordKey(type: rows.text(row, 3), name: rows.text(row, 4)), version: rows.integer(row, 5),
              sequence: rows.integer(row, 6), cell: try Self.cell(packed)))
        }
        let end = hasMore ? records.last?.sequence ?? sequence : sequence
        return ChangePage(
          records: records, cursor: Cursor(generation: generation, sequence: end), hasMore: hasMore,
          serverMilliseconds: rows.integer(0, 2))
      }
    }

    /// Pokes while the stream is read; see `SyncBackend`.
    public func watch(zone: String, device: DeviceID) -> AsyncThrowingStream<ChannelSign, any Error> {
      pokes.subscribe(zone: zone, device: device) { [self] in
        _ = try policy(zone)
        return try await idle.perform { connection throws(BackendError) in
          let rows = try connection.run("SELECT generation, seq FROM sync_zone WHERE name = $1", [.text(zone)])
          guard rows.count == 1 else { throw .zoneMissing(zone) }
          return Cursor(generation: UInt64(bitPattern: rows.integer(0, 0)), sequence: rows.integer(0, 1))
        }
      }
    }

    /// The clock in milliseconds since 1970.
    public func serverTime() async throws(BackendError) -> Int64 {
      try await idle.perform { connection throws(BackendError) in
        try connection.run("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8").integer(0, 0)
      }
    }

    /// Forgets every life of a zone: every device fetches it whole and gives back what is lost. Needed when a copy was put
    /// back while servers were connected; otherwise `ZoneLives` notices.
    public func beginNewGeneration(zone: String) async throws(BackendError) {
      _ = try policy(zone)
      try await idle.perform { connection throws(BackendError) in
        let generation = try Self.begin(zone, connection)
        _ = try connection.run(
          "DELETE FROM sync_life WHERE zone = $1 AND generation <> $2::int8",
          [.text(zone), .integer(Int64(bitPattern: generation))])
      }
    }

    // MARK: Parts

    private var idle: Line { lines.min { $0.load < $1.load } ?? lines[0] }

    private func policy(_ zone: String) throws(BackendError) -> any MergePolicy {
      guard let policy = zones[zone] else { throw .zoneMissing(zone) }
      return policy
    }

    private static func begin(_ zone: String, _ connection: PostgresConnection) throws(BackendError) -> UInt64 {
      let generation = Int64.random(in: 1 ... .max)
      _ = try connection.run(beginLife, [.text(zone), .integer(generation)])
      _ = try connection.run(forgetLives, [.text(zone), .integer(Int64(ZoneLives.limit))])
      return UInt64(bitPattern: generation)
    }

    private static func lives(_ zone: String, _ connection: PostgresConnection) throws(BackendError) -> ZoneLives {
      let rows = try connection.run(
        "SELECT generation, from_seq FROM sync_life WHERE zone = $1 ORDER BY number", [.text(zone)])
      return ZoneLives(
        (0..<rows.count).map {
          .init(generation: UInt64(bitPattern: rows.integer($0, 0)), from: rows.integer($0, 1))
        })
    }

    private static func place(
      _ zone: String, _ connection: PostgresConnection
    ) throws(BackendError) -> (UInt64, Int64) {
      let rows = try connection.run(
        "SELECT generation, (extract(epoch FROM clock_timestamp()) * 1000)::int8 FROM sync_zone WHERE name = $1",
        [.text(zone)])
      guard rows.count == 1 else { throw .zoneMissing(zone) }
      return (UInt64(bitPattern: rows.integer(0, 0)), rows.integer(0, 1))
    }

    private static func record(
      _ key: RecordKey, _ zone: String, _ connection: PostgresConnection
    ) throws(BackendError) -> (record: Record?, place: (generation: UInt64, serverMilliseconds: Int64)) {
      let rows = try connection.run(read, [.text(zone), .text(key.type), .text(key.name)])
      guard rows.count == 1 else { throw .zoneMissing(zone) }
      let place = (UInt64(bitPattern: rows.integer(0, 0)), rows.integer(0, 2))
      if rows.isNull(0, 3) { return (nil, place) }
      let record = Record(
        key: key, version: rows.integer(0, 3), sequence: rows.integer(0, 4), cell: try cell(rows.bytes(0, 5)))
      return (record, place)
    }

    private static func cell(_ bytes: [UInt8]) throws(BackendError) -> Cell {
      do {
        return try Cell(packed: bytes)
      } catch {
        if case .unsupportedFormat = error { throw .unsupportedFormat("\(error)") }
        throw .storage("PostgreSQL holds a damaged record: \(error)")
      }
    }
  }

  /// The zones in which this server has begun a life since one of its connections was last opened.
  private final class BegunZones: Sendable {
    private let names = Mutex<Set<String>>([])

    func contains(_ zone: String) -> Bool { names.withLock { $0.contains(zone) } }
    func insert(_ zone: String) { names.withLock { _ = $0.insert(zone) } }
    func forgetAll() { names.withLock { $0.removeAll() } }
  }

  /// A connection and the thread that alone uses it: jobs of `worker` run one after the other, which is the proof for the
  /// promise that `connection` is not shared.
  private final class Line: @unchecked Sendable {
    private let worker: BlockingWorker
    private let connection: PostgresConnection

    init(name: String, _ information: String, onOpen: @escaping @Sendable () -> Void) {
      worker = BlockingWorker(name: name)
      connection = PostgresConnection(information, onOpen: onOpen)
    }

    var load: Int { worker.load }

    func perform<Value: Sendable>(
      _ body: @escaping @Sendable (PostgresConnection) throws(BackendError) -> Value
    ) async throws(BackendError) -> Value {
      do {
        return try await worker.perform { [self] in try body(connection) }
      } catch let error as BackendError {
        throw error
      } catch {
        throw .unreachable("the connection to PostgreSQL has been closed")
      }
    }

    func stop() { worker.stop() }
  }
#endif
