#if Network
  import SyncCore
  import SyncEngine
  import Synchronization

  /// Zones in PostgreSQL, for any number of server processes in front of one database.
  ///
  /// Commits that come while others are under way go together, two round trips and one wait for the disk for all of
  /// them (`CommitQueue`). A commit reads the record and then swaps it in one statement that takes the zone's row
  /// first: inside a zone the order of commits is the order of sequence numbers, so a reader never skips one.
  /// Notifications travel by NOTIFY after the commit, never inside it: the lock that NOTIFY takes is the whole
  /// database's. When the database turns out to be another copy, because a connection had to be opened again or because
  /// it knows less than this server, the next commit begins a new incarnation of the zone.
  public final class PostgresBackend: SyncBackend {
    /// The zones, and which of the writers commits to each.
    private let zones: Mutex<[String: Int]>
    private let readers: [Line]
    private let writers: [Line]
    private let commits: [CommitQueue]
    private let notifications = NotificationHub()
    private let notifier: PostgresNotifier
    private let identityMemo: IdentityMemo
    /// When this server has last noted how far each zone has come.
    private let aged = Mutex<[String: ContinuousClock.Instant]>([:])
    /// How long is between two such notes.
    private static let agePause = Duration.seconds(3600)
    /// With one, the processor is idle while the disk writes; with more than two, each transaction has fewer commits.
    private static let writerCount = 2
    /// PostgreSQL plans each statement of a commit once, and always with the index: a scan that is cheap while a table is small
    /// would be kept while it grows. A scan that has no index looks so expensive then that it would be compiled, hence `jit`.
    private static let writerSettings = """
      SELECT set_config('plan_cache_mode', 'force_generic_plan', false), set_config('enable_seqscan', 'off', false),
        set_config('jit', 'off', false)
      """

    /// Connects and makes the tables where they are missing; `information` is libpq's, such as
    /// `host=/run/db dbname=sync`. Uses `readers` connections to read, two to commit and two for notifications. A
    /// database that does not answer within `answerMilliseconds` gives `BackendError.timedOut`.
    ///
    /// `report` hears when a connection for notifications fails later, and when it works again.
    ///
    /// Throws `BackendError.unreachable` when the database is not there, or does not give all these connections.
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
      // All lines are opened here, so that a refused connection is an error now, and opening later means opening again.
      for line in readers + writers + notifier.lines {
        try await line.perform { connection throws(BackendError) in _ = try connection.run("SELECT 1") }
      }
      // A commit does not wait for it then.
      _ = try await identity()
      notifier.start()
    }

    /// Ends the connections.
    public func close() {
      notifier.stop()
      for queue in commits { queue.stop() }
      for line in self.readers + writers { line.stop() }
    }

    /// Takes one more zone.
    public func open(zone: String) async throws(BackendError) {
      try await idle.perform { connection throws(BackendError) in
        _ = try connection.runTogether(PostgresZone.schema.prefix(1) + PostgresZone.make(zone))
      }
      zones.withLock { zones in if zones[zone] == nil { zones[zone] = zones.count % Self.writerCount } }
    }

    /// Makes changes; see `SyncBackend`.
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

    /// Now and then notes how far the zone has come, and forgets the deletions that are old by then. Where that fails the commit
    /// has been made all the same, and the next one tries again.
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

    /// What this server commits, its watchers hear before the commit is answered.
    public var tellsOwnCommits: Bool { true }

    /// Gives what changed; see `SyncBackend`.
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

    /// Notifications while the stream is read; see `SyncBackend`.
    public func watch(
      zone: String, device: DeviceID, store: StoreIdentity?
    ) -> AsyncThrowingStream<ChannelSign, any Error> {
      notifications.subscribe(zone: zone, device: device) { [self] in
        try require(zone)
        try await require(store)
        return try await cursor(zone)
      }
    }

    /// The store's identity, which is in the database.
    public func identity() async throws(BackendError) -> StoreIdentity {
      if let known = identityMemo.identity { return known }
      let identity = try await read { connection throws(BackendError) in try PostgresZone.identity(connection) }
      identityMemo.note(identity)
      return identity
    }

    /// Makes this copy of a store a store of its own: devices of the other one refuse it, and it knows none of their cursors.
    /// Returns the new identity. Servers that run on it notice it by the cursors.
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

    /// A store that has got an identity of its own knows none of the cursors of before.
    private func doubtIdentity(after error: BackendError) {
      switch error {
      case .otherStore, .cursorExpired: identityMemo.forget()
      default: break
      }
    }

    /// The store's identity; throws unless it is the one that is expected.
    @discardableResult
    private func require(_ expected: StoreIdentity?) async throws(BackendError) -> StoreIdentity {
      let known = try await identity()
      guard let expected, known != expected else { return known }
      // What is known here may be from before `store new-identity`.
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

    /// Forgets every incarnation of a zone: every device fetches it whole and returns what is lost. For anyone who
    /// knows of a restored copy that no server could notice, because none had been running and no device had come
    /// further.
    public func beginNewGeneration(zone: String) async throws(BackendError) {
      try require(zone)
      try await idle.perform { connection throws(BackendError) in
        _ = try connection.runTogether(
          PostgresZone.beginIncarnation(zone) + [PostgresZone.forgetOtherIncarnations(zone)])
      }
    }

    // MARK: Parts

    /// What only reads is tried again at once when its connection turns out to be broken, as all are after the database
    /// was started again.
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

    /// The number of the zone's writer.
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
