#if Network
  import SyncCore
  import SyncEngine
  import Synchronization

  /// A backend in a PostgreSQL database, which any number of server processes may share.
  ///
  /// Commits that arrive at the same time share two round trips and one wait for the disk (`CommitQueue`). A commit
  /// first reads its records. It then stores each change with a statement that locks the zone's row first. Commits in a
  /// zone therefore become visible in the order of their sequence numbers, and a reader never skips one. Notifications
  /// are sent with NOTIFY after the commit and never within it, because NOTIFY locks the whole database.
  ///
  /// The database may be another copy if a connection was opened again or if data known to this server is missing. The
  /// next commit then starts a new incarnation of the zone.
  public final class PostgresBackend: SyncBackend {
    /// The zones by name, each with the index of its writer.
    private let zones: Mutex<[String: Int]>
    private let readers: [Line]
    private let writers: [Line]
    private let commits: [CommitQueue]
    private let notifications = NotificationHub()
    private let notifier: PostgresNotifier
    private let identityMemo: IdentityMemo
    /// The time when this server last recorded the position of each zone.
    private let aged = Mutex<[String: ContinuousClock.Instant]>([:])
    /// The minimum time between two recordings of a zone's position.
    private static let agePause = Duration.seconds(3600)
    /// The number of connections for commits. With one connection, the processor is idle while the disk writes. With
    /// more than two, each transaction contains fewer commits.
    private static let writerCount = 2
    /// Settings that make PostgreSQL plan each statement of a commit only once and always use the index. Otherwise, it
    /// would keep a plan that scans a small table while the table grows. Without an index, a plan seems so expensive
    /// that PostgreSQL would compile it, so `jit` is off.
    private static let writerSettings = """
      SELECT set_config('plan_cache_mode', 'force_generic_plan', false), set_config('enable_seqscan', 'off', false),
        set_config('jit', 'off', false)
      """

    /// Connects and creates missing tables. `information` is a connection string of libpq, such as `host=/run/db
    /// dbname=sync`. The backend uses `readers` connections for reading, two for commits and two for notifications. If
    /// the database does not respond within `answerMilliseconds`, a call throws `BackendError.timedOut`.
    ///
    /// `report` is called with a message when a connection for notifications fails, and again when it has recovered.
    ///
    /// Throws `BackendError.unreachable` if the database cannot be reached or does not allow all these connections.
    public convenience init(
      _ information: String, zones: [String], readers: Int = 2,
      answerMilliseconds: Int = 10_000, report: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws(BackendError) {
      try await self.init(
        information, zones: zones, readers: readers, answerMilliseconds: answerMilliseconds, mayCreate: true,
        report: report)
    }

    /// Connects. Unless `mayCreate` is true, throws if the database has no store.
    @_disfavoredOverload
    package init(
      _ information: String, zones: [String], readers: Int = 2, answerMilliseconds: Int = 10_000, mayCreate: Bool,
      report: @escaping @Sendable (String) -> Void = { _ in }
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
        try await begin(zones, mayCreate)
      } catch {
        close()
        throw error
      }
    }

    private func begin(_ zones: [String], _ mayCreate: Bool) async throws(BackendError) {
      let preparation = PostgresZone.schema + zones.sorted().flatMap { PostgresZone.make($0) }
      try await writers[0].perform { connection throws(BackendError) in
        try PostgresZone.refuseRemoved(connection)
        if !mayCreate { try PostgresZone.requireStore(connection) }
        _ = try connection.runTogether(preparation)
      }
      // Open all connections now, so that a refused one is an error at startup. Later, lost connections are opened
      // again.
      for line in readers + writers + notifier.lines {
        try await line.perform { connection throws(BackendError) in _ = try connection.run("SELECT 1") }
      }
      // Read the identity now, so that no commit has to wait for it.
      _ = try await identity()
      notifier.start()
    }

    /// Closes the connections.
    public func close() {
      notifier.stop()
      for queue in commits { queue.stop() }
      for line in self.readers + writers { line.stop() }
    }

    /// Adds a zone, which is empty if the database does not have it yet.
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

    /// Records the zone's position at intervals and forgets deletions that are old enough. An error does not affect the
    /// commit; the next commit tries again.
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

    /// True, because watchers are notified of this server's commits before the committing device gets its response.
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

    /// Returns a stream of notifications; see `SyncBackend`.
    public func watch(
      zone: String, device: DeviceID, store: StoreIdentity?
    ) -> AsyncThrowingStream<ChannelSign, any Error> {
      notifications.subscribe(zone: zone, device: device) { [self] in
        try require(zone)
        try await require(store)
        return try await cursor(zone)
      }
    }

    /// Returns the identity of the store, which is kept in the database.
    public func identity() async throws(BackendError) -> StoreIdentity {
      if let known = identityMemo.identity { return known }
      let identity = try await read { connection throws(BackendError) in try PostgresZone.identity(connection) }
      identityMemo.note(identity)
      return identity
    }

    /// Turns this copy of a store into a separate store. Returns its new identity. Devices of the original store refuse
    /// this store, and their cursors are invalid in it. Running servers detect the change because their cursors become
    /// invalid.
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

    /// Drops the cached identity after an error that may have been caused by a new identity of the store.
    private func doubtIdentity(after error: BackendError) {
      switch error {
      case .otherStore, .cursorExpired: identityMemo.forget()
      default: break
      }
    }

    /// Returns the identity of the store. Throws if it is not the expected one.
    @discardableResult
    private func require(_ expected: StoreIdentity?) async throws(BackendError) -> StoreIdentity {
      let known = try await identity()
      guard let expected, known != expected else { return known }
      // The cached identity may be outdated if `store new-identity` was run.
      identityMemo.forget()
      let own = try await identity()
      if own != expected { throw .otherStore(own) }
      return own
    }

    /// Returns the time of the database's clock, in milliseconds since 1970.
    public func serverTime() async throws(BackendError) -> Int64 {
      try await read { connection throws(BackendError) in
        try connection.run("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8").integer(0, 0)
      }
    }

    /// Removes all incarnations of a zone, so that every device fetches it again and returns lost data. Needed if a
    /// restored copy cannot be detected, because no server was running and no device had read further.
    public func beginNewGeneration(zone: String) async throws(BackendError) {
      try require(zone)
      try await idle.perform { connection throws(BackendError) in
        _ = try connection.runTogether(
          PostgresZone.beginIncarnation(zone) + [PostgresZone.forgetOtherIncarnations(zone)])
      }
    }

    // MARK: Helpers

    /// Performs a read. If the connection was lost, tries again once immediately, because a restart of the database
    /// breaks all connections.
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

    /// Returns the index of the zone's writer. Throws if the zone does not exist.
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
