import FlowSQLite
import SyncCore
import SyncEngine
import Synchronization

/// A backend in a SQLite file that several processes share. It is the default and needs no server.
public final class SQLiteBackend: SyncBackend {
  private let queue: SQLiteQueue
  private let path: String
  private let zones: Mutex<Set<String>>
  private let clock: any SyncClock
  /// The zones in which an incarnation has started since the file was opened.
  private let begun = Mutex<Set<String>>([])

  /// The interval between a watcher's checks for writes of other connections, in milliseconds.
  package static let watchMilliseconds: Int64 = 50

  /// The oldest format version that can be read.
  private static let oldestFormat = 9
  /// The tables of the oldest format, followed by what each later format adds.
  private static let schemas = [
    """
    CREATE TABLE zone (
      name TEXT NOT NULL PRIMARY KEY, generation INTEGER NOT NULL, seq INTEGER NOT NULL,
      dropped_seq INTEGER NOT NULL DEFAULT 0, dropped_life INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
    CREATE TABLE record (
      zone TEXT NOT NULL, type TEXT NOT NULL, name TEXT NOT NULL, version INTEGER NOT NULL, seq INTEGER NOT NULL,
      cell BLOB NOT NULL, deleted_life INTEGER, PRIMARY KEY (zone, type, name)) WITHOUT ROWID;
    CREATE INDEX record_by_sequence ON record (zone, seq);
    CREATE INDEX record_deleted ON record (zone, seq) WHERE deleted_life IS NOT NULL;
    CREATE TABLE life (
      zone TEXT NOT NULL, number INTEGER NOT NULL, generation INTEGER NOT NULL, from_seq INTEGER NOT NULL,
      PRIMARY KEY (zone, number)) WITHOUT ROWID;
    CREATE TABLE collection (
      zone TEXT NOT NULL, type TEXT NOT NULL, records INTEGER NOT NULL, PRIMARY KEY (zone, type)) WITHOUT ROWID;
    CREATE TRIGGER record_added AFTER INSERT ON record BEGIN
      INSERT INTO collection VALUES (new.zone, new.type, 1) ON CONFLICT (zone, type) DO UPDATE SET records = records + 1;
    END;
    CREATE TRIGGER record_dropped AFTER DELETE ON record BEGIN
      UPDATE collection SET records = records - 1 WHERE zone = old.zone AND type = old.type;
    END;
    CREATE TABLE tag (zone TEXT NOT NULL, seq INTEGER NOT NULL, tag INTEGER NOT NULL, PRIMARY KEY (zone, seq))
    WITHOUT ROWID;
    CREATE TABLE act (
      zone TEXT NOT NULL, device TEXT NOT NULL, incarnation INTEGER NOT NULL, number INTEGER NOT NULL,
      checksum INTEGER NOT NULL, PRIMARY KEY (zone, device, incarnation, number, checksum)) WITHOUT ROWID;
    CREATE TABLE given_back (
      zone TEXT NOT NULL, device TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (zone, device)) WITHOUT ROWID;
    CREATE TABLE age (zone TEXT NOT NULL PRIMARY KEY, notes BLOB NOT NULL) WITHOUT ROWID;
    """,
    """
    CREATE TABLE store (identity TEXT NOT NULL);
    INSERT INTO store VALUES (lower(hex(randomblob(16))));
    """,
    // The tables stay the same, but records may contain moves in lists, which earlier versions cannot read.
    "",
  ]

  /// Opens the file, or creates it if it is missing. `zones` are the names of the zones to use.
  ///
  /// Throws `BackendError.storage` if the file cannot be used, is from a newer version, or has a format that is no
  /// longer supported.
  public convenience init(path: String, zones: [String]) throws(BackendError) {
    try self.init(path: path, zones: zones, clock: SystemClock())
  }

  /// Opens the file and uses another clock. Unless `mayCreate` is true, throws if the file has no store.
  @_disfavoredOverload
  package init(
    path: String, zones: [String], clock: any SyncClock = SystemClock(), mayCreate: Bool = true
  ) throws(BackendError) {
    self.path = path
    self.zones = Mutex(Set(zones))
    self.clock = clock
    do {
      if path != ":memory:" {
        try SQLiteFailure.requireShared(path, oldest: Self.oldestFormat, mayBeEmpty: mayCreate)
        FileLock.make(path)
      }
      queue = try SQLiteFailure.open(path)
      try queue.sync { database in
        try database.migrate(Self.schemas, from: Self.oldestFormat)
        try database.transaction { for zone in zones { try Self.make(zone, database) } }
      }
    } catch {
      throw .storage(SQLiteFailure.text(error, path: path))
    }
  }

  /// Adds a zone, which is empty if the file does not have it yet.
  package func open(zone: String) async throws(BackendError) {
    try await perform { try Self.make(zone, $0) }
    zones.withLock { _ = $0.insert(zone) }
  }

  private static func make(_ zone: String, _ database: SQLiteConnection) throws {
    try database.run(
      "INSERT INTO zone (name, generation, seq) VALUES (?, ?, 0) ON CONFLICT DO NOTHING",
      [.text(zone), .integer(Int64.random(in: 1 ... .max))])
    try database.run(
      "INSERT INTO life SELECT name, 1, generation, 0 FROM zone WHERE name = ? ON CONFLICT DO NOTHING", [.text(zone)])
  }

  /// Commits operations; see `SyncBackend`.
  public func commit(
    _ operations: [RecordOperation], zone: String, heard: SyncCore.Cursor?, store: StoreIdentity?
  ) async throws(BackendError) -> CommitReply {
    try require(zone)
    guard operations.count <= SyncLimits.operations else { throw .limitExceeded }
    let now = clock.nowMilliseconds()
    let hasBegun = begun.withLock { $0.contains(zone) }
    let (reply, begins) = try await perform { database in
      try Self.require(store, database)
      var cursor = try Self.cursor(zone, database)
      try Self.require([heard], zone, at: cursor, database)
      var sequence = cursor.sequence
      var begins = false
      var results: [CommitResult] = []
      var sequences: [RecordKey: Int64] = [:]
      func decide() throws -> (outcomes: [ArbiterBatch.Outcome], full: [String: Int]) {
        var batch = ArbiterBatch(serverMilliseconds: now, dropped: try Self.dropped(zone, database))
        let outcomes = try batch.decide(
          operations, read: { try Self.record($0, zone, database) },
          count: { try Self.records(of: $0, zone, database) },
          taken: { try Self.taken($0, zone, database) })
        return (outcomes, batch.full)
      }
      var (outcomes, full) = try decide()
      if try Self.makeRoom(full, zone, database) { (outcomes, full) = try decide() }
      for (operation, outcome) in zip(operations, outcomes) {
        var stored = outcome.stored
        if let sequence = sequences[operation.key] { stored?.sequence = sequence }
        switch outcome.decision {
        case .store(let cell, let stamp):
          if !hasBegun, !begins {
            begins = true
            cursor.generation = try Self.beginIncarnation(zone, database)
          }
          sequence += 1
          sequences[operation.key] = sequence
          let version = (stored?.version ?? 0) + 1
          try database.run(
            """
            INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (zone, type, name) DO UPDATE SET
            version = excluded.version, seq = excluded.seq, cell = excluded.cell, deleted_life = excluded.deleted_life
            """,
            [
              .text(zone), .text(operation.key.type), .text(operation.key.name), .integer(version), .integer(sequence),
              .bytes(cell.packed()), SQLiteValue(outcome.deletedIncarnation),
            ])
          try Self.keep(outcome.names, zone, database)
          results.append(.committed(version: version, sequence: sequence, stamp: stamp))
        case .unchanged: results.append(.unchanged)
        case .conflict: results.append(.conflict(stored))
        case .refused(let refusal): results.append(.refused(refusal))
        }
      }
      if sequence > cursor.sequence {
        cursor.tag = try Self.tag(sequence, after: cursor.sequence, zone, database)
        cursor.sequence = sequence
        try Self.age(zone, to: sequence, by: operations.first?.author, now, database)
      }
      return (CommitReply(results: results, cursor: cursor, serverMilliseconds: now), begins)
    }
    if begins { begun.withLock { _ = $0.insert(zone) } }
    return reply
  }

  /// Returns changes; see `SyncBackend`.
  public func changes(
    zone: String, since cursor: SyncCore.Cursor?, limit: Int, maximumBytes: Int, reader: ZoneReader,
    of subscription: SyncSubscription?, store: StoreIdentity?
  ) async throws(BackendError) -> ChangePage {
    try require(zone)
    let now = clock.nowMilliseconds()
    return try await perform { database in
      let present = try Self.cursor(zone, database)
      let own = try Self.require(store, database)
      try Self.require(
        cursor == reader.heard ? [cursor] : [cursor, reader.heard], zone, at: present, database)
      var page = ChangePageBuilder(
        subscription, since: cursor, present: present.sequence, limit: limit, maximumBytes: maximumBytes)
      let limit = subscription == nil ? page.room : ChangePageBuilder.scanned + 1
      try database.query(
        "SELECT type, name, version, seq, cell FROM record WHERE zone = ? AND seq > ? ORDER BY seq LIMIT ?",
        [.text(zone), .integer(page.end), .integer(limit)]
      ) { rows in
        while try rows.next() {
          let cell = rows.bytes(4)
          let record = SyncRecord(
            key: RecordKey(type: rows.text(0), name: rows.text(1)), version: rows.int64(2),
            sequence: rows.int64(3), cell: try Cell(packed: cell))
          if !page.take(record, bytes: cell.count) { break }
        }
      }
      return try page.page(
        at: present, in: own, serverMilliseconds: now, dropped: try Self.dropped(zone, database),
        tag: { try Self.tag(of: $0, zone, database) })
    }
  }

  /// Returns a stream of notifications; see `SyncBackend`. SQLite does not report writes of other processes, so a
  /// separate connection polls the file's change counter.
  public func watch(
    zone: String, device: DeviceID, store: StoreIdentity?
  ) -> AsyncThrowingStream<ChannelSign, any Error> {
    let (stream, continuation) = AsyncThrowingStream.makeStream(
      of: ChannelSign.self, bufferingPolicy: .bufferingNewest(1))
    let isKnown = zones.withLock { $0.contains(zone) }
    let task = Task { [path, clock] in
      do {
        guard isKnown else { throw BackendError.zoneMissing(zone) }
        let queue = try SQLiteFailure.open(path)
        defer { queue.close() }
        var (seen, lastSign): (Int?, Int64) = (nil, clock.nowMilliseconds())
        while !Task.isCancelled {
          let known = seen
          let news = try await queue.perform { database -> (Int, SyncCore.Cursor)? in
            try database.snapshot {
              let version = try database.integer("PRAGMA data_version") ?? 0
              if version == known { return nil }
              try Self.require(store, database)
              return (version, try Self.cursor(zone, database))
            }
          }
          if let (version, cursor) = news {
            seen = version
            continuation.yield(.notification(cursor))
            lastSign = clock.nowMilliseconds()
          } else if clock.nowMilliseconds() - lastSign >= SyncLimits.keepAliveMilliseconds {
            continuation.yield(.alive)
            lastSign = clock.nowMilliseconds()
          }
          try await clock.sleep(untilMilliseconds: clock.nowMilliseconds() + Self.watchMilliseconds)
        }
        continuation.finish()
      } catch let error as BackendError {
        continuation.finish(throwing: error)
      } catch {
        continuation.finish(throwing: BackendError.storage(SQLiteFailure.text(error, path: path)))
      }
    }
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }

  /// Returns the identity of the store, which is kept in the file.
  public func identity() async throws(BackendError) -> StoreIdentity {
    try await perform { try Self.require(nil, $0) }
  }

  /// Turns this copy of a store into a separate store. Returns its new identity. Devices of the original store refuse
  /// this store, and their cursors are invalid in it.
  package func takeNewIdentity() async throws(BackendError) -> StoreIdentity {
    try await perform { database in
      let identity = StoreIdentity.drawn()
      try database.run("UPDATE store SET identity = ?", [.text(identity.description)])
      try database.execute("DELETE FROM life")
      for zone in try database.all("SELECT name FROM zone", [], { $0.text(0) }) {
        _ = try Self.beginIncarnation(zone, database)
      }
      return identity
    }
  }

  /// Returns the time of the device's clock in milliseconds since 1970.
  public func serverTime() async throws(BackendError) -> Int64 { clock.nowMilliseconds() }

  /// Removes all incarnations of a zone, so that every device fetches it again and returns lost data. Needed only if a
  /// copy was restored while the file was open; otherwise, `ZoneIncarnations` detects it.
  package func beginNewGeneration(zone: String) async throws(BackendError) {
    try require(zone)
    try await perform { database in
      try database.run("DELETE FROM life WHERE zone = ?", [.text(zone)])
      _ = try Self.beginIncarnation(zone, database)
    }
  }

  /// Closes the file.
  public func close() throws { queue.close() }

  // MARK: The tables

  private func require(_ zone: String) throws(BackendError) {
    guard zones.withLock({ $0.contains(zone) }) else { throw .zoneMissing(zone) }
  }

  /// Returns the identity of the store. Throws if it is not the expected one.
  @discardableResult
  private static func require(
    _ expected: StoreIdentity?, _ database: SQLiteConnection
  ) throws -> StoreIdentity {
    guard let own = try database.first("SELECT identity FROM store", [], { StoreIdentity($0.text(0)) }) ?? nil else {
      throw BackendError.storage("the store has lost its identity: restore it from a backup")
    }
    if let expected, expected != own { throw BackendError.otherStore(own) }
    return own
  }

  private func perform<Value: Sendable>(
    _ body: @escaping @Sendable (SQLiteConnection) throws -> Value
  ) async throws(BackendError) -> Value {
    do {
      return try await queue.perform { database in try database.transaction { try body(database) } }
    } catch let error as BackendError {
      throw error
    } catch let error as PackingError {
      if case .unsupportedFormat = error { throw .unsupportedFormat("\(error)") }
      throw .storage("'\(path)' holds a damaged record: \(error)")
    } catch {
      throw .storage(SQLiteFailure.text(error, path: path))
    }
  }

  private static func beginIncarnation(_ zone: String, _ database: SQLiteConnection) throws -> UInt64 {
    let generation = Int64.random(in: 1 ... .max)
    try database.run(
      """
      INSERT INTO life SELECT name, coalesce((SELECT max(number) FROM life WHERE zone = name), 0) + 1, ?, seq
      FROM zone WHERE name = ?
      """, [.integer(generation), .text(zone)])
    try database.run(
      "DELETE FROM life WHERE zone = ?1 AND number <= (SELECT max(number) FROM life WHERE zone = ?1) - ?2",
      [.text(zone), .integer(ZoneIncarnations.limit)])
    try database.run("UPDATE zone SET generation = ? WHERE name = ?", [.integer(generation), .text(zone)])
    return UInt64(bitPattern: generation)
  }

  static func incarnations(_ zone: String, _ database: SQLiteConnection) throws -> ZoneIncarnations {
    ZoneIncarnations(
      try database.all("SELECT generation, from_seq FROM life WHERE zone = ? ORDER BY number", [.text(zone)]) {
        .init(generation: UInt64(bitPattern: $0.int64(0)), from: $0.int64(1))
      })
  }

  private static func cursor(_ zone: String, _ database: SQLiteConnection) throws -> SyncCore.Cursor {
    let found = try database.first("SELECT generation, seq FROM zone WHERE name = ?", [.text(zone)]) {
      (generation: UInt64(bitPattern: $0.int64(0)), sequence: $0.int64(1))
    }
    guard let (generation, sequence) = found else { throw BackendError.zoneMissing(zone) }
    return SyncCore.Cursor(
      generation: generation, sequence: sequence, tag: try tag(of: sequence, zone, database))
  }

  /// Returns the tag of the commit that assigned a sequence number, or 0 if it is unknown.
  private static func tag(of number: Int64, _ zone: String, _ database: SQLiteConnection) throws -> UInt64 {
    if number <= 0 { return 0 }
    let tag = try database.first(
      "SELECT tag FROM tag WHERE zone = ? AND seq >= ? ORDER BY seq LIMIT 1", [.text(zone), .integer(number)]
    ) { $0.int64(0) }
    return UInt64(bitPattern: tag ?? 0)
  }

  /// Finishes a commit: stores the sequence number of its last change with a new random tag, which it returns. Removes
  /// the oldest tags from time to time.
  private static func tag(
    _ sequence: Int64, after last: Int64, _ zone: String, _ database: SQLiteConnection
  ) throws -> UInt64 {
    let tag = UInt64.random(in: 1 ... .max)
    try database.run("UPDATE zone SET seq = ? WHERE name = ?", [.integer(sequence), .text(zone)])
    try database.run(
      "INSERT OR REPLACE INTO tag VALUES (?, ?, ?)",
      [.text(zone), .integer(sequence), .integer(Int64(bitPattern: tag))])
    if sequence / 1024 > last / 1024 {
      try database.run(
        "DELETE FROM tag WHERE zone = ? AND seq < ?", [.text(zone), .integer(sequence - CommitTags.limit)])
    }
    return tag
  }

  /// Throws unless the zone's history contains all of these cursors.
  private static func require(
    _ cursors: [SyncCore.Cursor?], _ zone: String, at present: SyncCore.Cursor, _ database: SQLiteConnection
  ) throws {
    for case let cursor? in cursors {
      let isOfIncarnation =
        cursor.generation == present.generation
        ? cursor.sequence <= present.sequence : try incarnations(zone, database).holds(cursor, last: present.sequence)
      guard isOfIncarnation, try tag(of: cursor.sequence, zone, database) == cursor.tag else {
        throw BackendError.cursorExpired
      }
    }
  }

  private static func records(of type: String, _ zone: String, _ database: SQLiteConnection) throws -> Int {
    try database.integer("SELECT records FROM collection WHERE zone = ? AND type = ?", [.text(zone), .text(type)]) ?? 0
  }

  private static func record(_ key: RecordKey, _ zone: String, _ database: SQLiteConnection) throws -> SyncRecord? {
    try database.first(
      "SELECT version, seq, cell FROM record WHERE zone = ? AND type = ? AND name = ?",
      [.text(zone), .text(key.type), .text(key.name)]
    ) {
      SyncRecord(
        key: key, version: $0.int64(0), sequence: $0.int64(1), cell: try Cell(packed: $0.bytes(2)))
    }
  }
}
