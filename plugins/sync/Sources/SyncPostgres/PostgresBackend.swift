#if Network
  import SyncCore
  import SyncEngine
  import Synchronization

  /// Zones in PostgreSQL, for any number of server processes with one database.
  ///
  /// Commits that arrive during others go together: two round trips and one wait for the disk for all of them
  /// (`CommitQueue`). A commit reads the record and then swaps it in one statement that locks the zone's row first.
  /// Thus the order of commits in a zone is that of sequence numbers, and a reader never skips one. Notifications are
  /// sent by NOTIFY after the commit and never inside it, because NOTIFY locks the whole database. If the database
  /// turns out to be another copy, because a connection was opened again or because it has less than this server knows,
  /// the next commit starts a new incarnation of the zone.
  public final class PostgresBackend: SyncBackend {
    /// The zones, each with the index of its writer.
    private let zones: Mutex<[String: Int]>
    private let readers: [Line]
    private let writers: [Line]
    private let commits: [CommitQueue]
    private let notifications = NotificationHub()
    private let notifier: PostgresNotifier
    private let identityMemo: IdentityMemo
    /// The times when this server last recorded each zone's position.
    private let aged = Mutex<[String: ContinuousClock.Instant]>([:])
    /// The interval between two such records.
    private static let agePause = Duration.seconds(3600)
    /// With one writer, the processor is idle while the disk writes; with more than two, each transaction has fewer
    /// commits.
    private static let writerCount = 2
    /// PostgreSQL plans each statement of a commit once and always with the index: the plan of a scan that is cheap for
    /// a small table would be kept while the table grows. A scan without an index then looks so expensive that it would
    /// be compiled, so `jit` is off.
    private static let writerSettings = """
      SELECT set_config('plan_cache_mode', 'force_generic_plan', false), set_config('enable_seqscan', 'off', false),
        set_config('jit', 'off', false)
      """

    /// Connects and makes missing tables. `information` is libpq's, such as `host=/run/db dbname=sync`. Uses `readers`
    /// connections for reading, two for commits and two for notifications. A database that does not respond within
    /// `answerMilliseconds` causes `BackendError.timedOut`.
    ///
    /// `report` is called when a connection for notifications fails later, and when it works again.
    ///
    /// Throws `BackendError.unreachable` if the database cannot be reached or does not allow all these connections.
    public init(
      _ information: String, zones: [String], readers: Int = 2,
      answerMilliseconds: Int = 10_000, report: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws(BackendError) {
      self.zones = Mutex(
        Dictionary(uniqueKeysWithValues: Set(zones).sorted().enumerated().map { ($1, $0 % Self.writerCount) }))
      let (cursors, identityMemo) = (ZoneCursors(), IdentityMemo())
      self.identityMemo = identityMemo
      let line = { (name: String, settings: String?) in
        Line(name: name, information, answerMilliseconds: answerMilliseconds, settings: settings) {
          cursors.forgetBegun()
          identityMemo.forget()
        }
      }
      self.readers = (0..<max(1, readers)).map { line("sync-read-\($0)", nil) }
      writers = (0..<Self.writerCount).map { line("sync-commit-\($0)", Self.writerSettings) }
      let (notifications, notifier) = (
        notifications, PostgresNotifier(information, hub: notifications, cursors: cursors, report: report)
      )
      self.notifier = notifier
      commits = writers.map { writer in
        CommitQueue(line: writer, cursors: cursors) { change in
          notifications.publish(.changes(change.page, since: change.since), zone: change.zone)
          notifier.tell(change.page.cursor, zone: change.zone)
        }
      }
      do throws(BackendError) {
        try await begin(zones)
      } catch {
        close()
        throw error
      }
    }

    private func begin(_ zones: [String]) async throws(BackendError) {
      let preparation = PostgresZone.schema + zones.sorted().flatMap { PostgresZone.make($0) }
      try await writers[0].perform { connection throws(BackendError) in
        try PostgresZone.refuseRemoved(connection)
        _ = try connection.runTogether(preparation)
      }
      // All lines are opened here, so that a refused connection is an error now. Later, opening means opening again.
      for line in readers + writers + notifier.lines {
        try await line.perform { connection throws(BackendError) in _ = try connection.run("SELECT 1") }
      }
      // Read now, so that no commit waits for it.
      _ = try await identity()
      notifier.start()
    }

    /// Closes the connections.
    public func close() {
      notifier.stop()
      for queue in commits { queue.stop() }
      for line in self.readers + writers { line.stop() }
    }

    /// Adds a zone.
    public func open(zone: String) async throws(BackendError) {
      try await idle.perform { connection throws(BackendError) in
        _ = try connection.runTogether(PostgresZone.schema.prefix(1) + PostgresZone.make(zone))
      }
      zones.withLock { zones in if zones[zone] == nil { zones[zone] = zones.count % Self.writerCount } }
    }

    /// Commits operations; see `SyncBackend`.
    public func commit(
      _ operations: [RecordOperation], zone: String, heard: Cursor?, store: StoreIdentity?
    ) async throws(BackendError) -> CommitReply {
      let writer = try require(zone)
      guard operations.count <= SyncLimits.operations else { throw .limitExceeded }
      let own = try await require(store)
      let reply: CommitReply
      do throws(BackendError) {
        reply = try await commits[writer].commit(
          .init(zone: zone, operations: operations, heard: heard, store: own))
      } catch {
        doubtIdentity(after: error)
        throw error
      }
      if reply.lastSequence != nil { await age(zone) }
      return reply
    }

    /// Records the zone's position from time to time, and forgets deletions that are old by then. If that fails, the
    /// commit is valid all the same, and the next one tries again.
    private func age(_ zone: String) async {
      let now = ContinuousClock.now
      let isDue = aged.withLock { aged in
        if let last = aged[zone], now - last < Self.agePause { return false }
        aged[zone] = now
        return true
      }
      guard isDue else { return }
      do {
        try await idle.perform { connection throws(BackendError) in try PostgresZone.age(zone, connection) }
      } catch {
        aged.withLock { $0[zone] = nil }
      }
    }

    /// Watchers are notified of this server's commits before the commit is answered.
    public var tellsOwnCommits: Bool { true }

    /// Returns changes; see `SyncBackend`.
    public func changes(
      zone: String, since cursor: Cursor?, limit: Int, maximumBytes: Int, reader: ZoneReader,
      of subscription: SyncSubscription?, store: StoreIdentity?
    ) async throws(BackendError) -> ChangePage {
      try require(zone)
      do throws(BackendError) {
        let page = try await read { connection throws(BackendError) in
          try PostgresZone.page(zone, connection, since: cursor, limit, maximumBytes, reader, subscription, store)
        }
        identityMemo.note(page.store)
        return page
      } catch {
        doubtIdentity(after: error)
        throw error
      }
    }

    /// Returns notifications while the stream is read; see `SyncBackend`.
    public func watch(
      zone: String, device: DeviceID, store: StoreIdentity?
    ) -> AsyncThrowingStream<ChannelSign, any Error> {
      notifications.subscribe(zone: zone, device: device) { [self] in
        try require(zone)
        try await require(store)
        return try await cursor(zone)
      }
    }

    /// The store's identity, stored in the database.
    public func identity() async throws(BackendError) -> StoreIdentity {
      if let known = identityMemo.identity { return known }
      let identity = try await read { connection throws(BackendError) in try PostgresZone.identity(connection) }
      identityMemo.note(identity)
      return identity
    }

    /// Turns this copy of a store into a store of its own: devices of the other one refuse it, and it knows none of
    /// their cursors. Returns the new identity. Running servers detect it by the cursors.
    public func takeNewIdentity() async throws(BackendError) -> StoreIdentity {
      let identity = StoreIdentity.drawn()
      try await idle.perform { connection throws(BackendError) in
        let rows = try connection.run("SELECT name FROM sync_zone ORDER BY name")
        let zones = (0..<rows.count).map { rows.text($0, 0) }
        _ = try connection.runTogether(
          [PostgresZone.setIdentity(identity)]
            + zones.flatMap { PostgresZone.beginIncarnation($0) + [PostgresZone.forgetOtherIncarnations($0)] })
      }
      identityMemo.forget()
      return identity
    }

    /// A store with a new identity knows no earlier cursors, so the cached identity is dropped after such an error.
    private func doubtIdentity(after error: BackendError) {
      switch error {
      case .otherStore, .cursorExpired: identityMemo.forget()
      default: break
      }
    }

    /// Returns the store's identity. Throws unless it is the expected one.
    @discardableResult
    private func require(_ expected: StoreIdentity?) async throws(BackendError) -> StoreIdentity {
      let known = try await identity()
      guard let expected, known != expected else { return known }
      // The cached identity may be from before `store new-identity`.
      identityMemo.forget()
      let own = try await identity()
      if own != expected { throw .otherStore(own) }
      return own
    }

    /// The clock in milliseconds since 1970.
    public func serverTime() async throws(BackendError) -> Int64 {
      try await read { connection throws(BackendError) in
        try connection.run("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8").integer(0, 0)
      }
    }

    /// Forgets all incarnations of a zone: every device fetches it as a whole and returns lost data. For a restored
    /// copy that no server could detect, because none was running and no device had come further.
    public func beginNewGeneration(zone: String) async throws(BackendError) {
      try require(zone)
      try await idle.perform { connection throws(BackendError) in
        _ = try connection.runTogether(
          PostgresZone.beginIncarnation(zone) + [PostgresZone.forgetOtherIncarnations(zone)])
      }
    }

    // MARK: Parts

    /// Reads, and tries again at once if the connection is broken, as all are after a restart of the database.
    private func read<Value: Sendable>(
      _ body: @escaping @Sendable (ZoneConnection) throws(BackendError) -> Value
    ) async throws(BackendError) -> Value {
      let line = idle
      do throws(BackendError) {
        return try await line.perform(body)
      } catch {
        guard case .unreachable = error else { throw error }
        return try await line.perform(body)
      }
    }

    var idle: Line { readers.min { $0.load < $1.load } ?? readers[0] }

    /// The index of the zone's writer.
    @discardableResult private func require(_ zone: String) throws(BackendError) -> Int {
      guard let writer = zones.withLock({ $0[zone] }) else { throw .zoneMissing(zone) }
      return writer
    }

    private func cursor(_ zone: String) async throws(BackendError) -> Cursor {
      try await read { connection throws(BackendError) in
        let rows = try connection.run("SELECT generation, seq, tag FROM sync_zone WHERE name = $1", [.text(zone)])
        guard rows.count == 1 else { throw .zoneMissing(zone) }
        return Cursor(
          generation: UInt64(bitPattern: rows.integer(0, 0)), sequence: rows.integer(0, 1),
          tag: UInt64(bitPattern: rows.integer(0, 2)))
      }
    }
  }
#endif
