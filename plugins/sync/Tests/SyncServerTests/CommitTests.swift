#if Network
  import Foundation
  import SyncCore
  import SyncEngine
  import SyncPomodoro
  import SyncPostgres
  import Testing

  /// Commits of many callers to one PostgreSQL database. They share a transaction, and each has its own result.
  @Suite(.serialized, .timeLimit(.minutes(10))) struct CommitTests {
    private static let callers = 24
    private static let zones = (0..<callers).map { "Zone\($0)" }

    /// Returns a backend with ``zones`` and with the timer's rules in each zone.
    private func backend(_ database: Database, answerMilliseconds: Int = 10_000) async throws -> PostgresBackend {
      let backend = try await PostgresBackend(
        database.information, zones: Self.zones, answerMilliseconds: answerMilliseconds)
      for zone in Self.zones { _ = try await backend.commit(Pomodoro.naming(atMilliseconds: 1), zone: zone) }
      return backend
    }

    private func operation(
      _ number: Int64 = 1, by device: Int = 1, key: RecordKey = Pomodoro.timer, expected: Int64 = 0
    ) -> RecordOperation {
      let write = Write(
        timer: Dot(device: DeviceID(stem: "mac", random: UInt32(device)), number: number), milliseconds: 1,
        state: TimerState(kind: .focus))
      return RecordOperation(key: key, expectedVersion: expected, change: .write(write))
    }

    /// Makes one commit per zone, all at once. Returns the results by zone.
    private func commits(
      _ backend: PostgresBackend, _ operations: [Int: RecordOperation] = [:]
    ) async -> [Int: Result<CommitReply, BackendError>] {
      await withTaskGroup(of: (Int, Result<CommitReply, BackendError>).self) { group in
        for caller in 0..<Self.callers {
          let operation = operations[caller] ?? operation()
          group.addTask {
            do throws(BackendError) {
              return (caller, .success(try await backend.commit([operation], zone: "Zone\(caller)")))
            } catch {
              return (caller, .failure(error))
            }
          }
        }
        return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
      }
    }

    /// A trigger that delays each commit to one zone, so that all callers have arrived before the first transaction
    /// ends.
    private static let slowZones = """
      CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_sleep(0.05); RETURN NEW; END $$;
      CREATE TRIGGER slow BEFORE UPDATE OF seq ON sync_zone FOR EACH ROW
        WHEN (NEW.name = 'Zone0') EXECUTE FUNCTION slow();
      """

    @Test func `commits that arrive while others are running share a transaction`() async throws {
      let database = try Database()
      let backend = try await backend(database)
      defer { backend.close() }
      // The trigger keeps the connection busy while the other commits arrive.
      try database.execute(Self.slowZones)
      let results = await commits(backend)
      for caller in 0..<Self.callers {
        guard case .success(let reply) = results[caller], case .committed(1, 4, _) = reply.results.first else {
          Issue.record("caller \(caller): \(String(describing: results[caller]))")
          continue
        }
      }
      #expect(try database.value("SELECT count(*) FROM sync_record WHERE type = 'timers'") == "\(Self.callers)")
      let transactions = try database.value("SELECT count(DISTINCT xmin::text) FROM sync_record WHERE type = 'timers'")
      #expect(try #require(Int(transactions)) <= Self.callers / 2)
    }

    @Test func `tags that are more than 65,536 changes old are removed, and newer ones are kept`() async throws {
      let database = try Database()
      let backend = try await backend(database)
      defer { backend.close() }
      try database.execute(
        """
        UPDATE sync_zone SET seq = 200000 WHERE name = 'Zone0';
        INSERT INTO sync_tag VALUES ('Zone0', 140000, 7)
        """)
      let old = "SELECT count(*) FROM sync_tag WHERE zone = 'Zone0' AND seq < 140000"
      #expect(try database.value(old) != "0")
      var commits: Int64 = 0
      // One transaction in 64 checks for old tags, so 3,000 transactions always include some checks.
      while commits < 3000, try commits % 16 != 0 || database.value(old) != "0" {
        _ = try await backend.commit([operation(commits + 1, expected: commits)], zone: "Zone0")
        commits += 1
      }
      #expect(try database.value(old) == "0")
      let kept = "SELECT count(*) FROM sync_tag WHERE zone = 'Zone0' AND seq >= 140000"
      #expect(try database.value(kept) == "\(commits + 1)")
    }

    @Test func `a server that cannot open all its connections does not start, and reports the reason`() async throws {
      let database = try Database()
      try database.execute("CREATE ROLE few LOGIN CONNECTION LIMIT 5; CREATE SCHEMA few AUTHORIZATION few")
      let information = database.information + " user=few"
      let error = await #expect(throws: BackendError.self) {
        _ = try await PostgresBackend(information, zones: ["Notes"])
      }
      #expect(error.map { "\($0)" }?.contains("too many connections") == true, "\(String(describing: error))")
      // The connections that could be opened must be closed again.
      let left = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'few'"
      while try database.value(left) != "0" {}
      try database.execute("ALTER ROLE few CONNECTION LIMIT 6")
      try await PostgresBackend(information, zones: ["Notes"]).close()
    }

    @Test func `a refused connection for notifications is reported once, and so is the recovery`() async throws {
      let database = try Database()
      try database.execute("CREATE ROLE tight LOGIN CONNECTION LIMIT 6; CREATE SCHEMA tight AUTHORIZATION tight")
      let (reports, reported) = AsyncStream.makeStream(of: String.self)
      let backend = try await PostgresBackend(database.information + " user=tight", zones: ["Notes"]) {
        reported.yield($0)
      }
      try database.execute(
        """
        ALTER ROLE tight CONNECTION LIMIT 0;
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'tight'
        """)
      var heard: [String] = []
      for await report in reports {
        heard.append(report)
        if report.contains("too many connections") { break }
      }
      try database.execute("ALTER ROLE tight CONNECTION LIMIT 6")
      for await report in reports {
        heard.append(report)
        if report == "devices of this server learn of changes on other ones at once again" { break }
      }
      #expect(Set(heard).count == heard.count)
      backend.close()
    }

    @Test func `a commit does not wait for a commit to another zone on another connection`() async throws {
      let database = try Database()
      let backend = try await backend(database)
      defer { backend.close() }
      // Zone0 gets its number only after Zone1 has its record.
      try database.execute(
        """
        CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          WHILE NOT EXISTS (SELECT 1 FROM sync_record WHERE zone = 'Zone1' AND type = 'timers') LOOP
            PERFORM pg_sleep(0.01);
          END LOOP;
          RETURN NEW;
        END $$;
        CREATE TRIGGER wait BEFORE UPDATE OF seq ON sync_zone FOR EACH ROW
          WHEN (NEW.name = 'Zone0') EXECUTE FUNCTION wait();
        """)
      async let held = backend.commit([operation()], zone: "Zone0")
      while try database.value("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == "0" {}
      for reply in [try await backend.commit([operation()], zone: "Zone1"), try await held] {
        guard case .committed(1, 4, _) = reply.results.first else {
          Issue.record("\(reply)")
          return
        }
      }
    }

    @Test func `a record changed by another server does not affect sequence numbers of other changes`() async throws {
      let database = try Database()
      let (one, other) = (
        try await PostgresBackend(database.information, zones: ["Notes"]),
        try await PostgresBackend(database.information, zones: ["Notes"])
      )
      defer { for backend in [one, other] { backend.close() } }
      let device = DeviceID(stem: "mac", random: 1)
      func likes(_ name: String, _ number: Int64, expected: Int64, by device: DeviceID = device) -> RecordOperation {
        let write = Write(
          dot: Dot(device: device, number: number), milliseconds: 1, context: VersionVector(),
          record: RecordWrite(isDeletion: false, changes: [.init(name: "likes", kind: .add(1))]))
        return .init(key: RecordKey(type: "notes", name: name), expectedVersion: expected, change: .write(write))
      }
      let phone = DeviceID(stem: "phone", random: 2)
      // Both servers start their incarnations of the zone.
      for (backend, device, name, version) in [(one, device, "likes", 0), (other, phone, "stars", 1)] {
        let rules = Write(
          dot: Dot(device: device, number: 1), milliseconds: 1,
          fields: [.init(name: name, value: Array("integer counter".utf8))])
        let key = ZoneRules.key(of: "notes")
        _ = try await backend.commit(
          [.init(key: key, expectedVersion: Int64(version), change: .write(rules))], zone: "Notes")
      }
      _ = try await one.commit(
        zip(["a", "b", "c", "d"], 2...).map { likes($0, $1, expected: 0) }, zone: "Notes")
      let before = try await other.commit([likes("b", 2, expected: 1, by: phone)], zone: "Notes").cursor
      // The first server has cached the old version of `b`. It reserves four numbers and stores three records.
      let reply = try await one.commit(
        zip(["a", "b", "c", "d"], 6...).map { likes($0, $1, expected: 1) }, zone: "Notes", heard: before)
      let base = before.sequence
      guard case .committed(2, base + 1, _) = reply.results[0], case .conflict(let met?) = reply.results[1],
        case .committed(2, base + 3, _) = reply.results[2], case .committed(2, base + 4, _) = reply.results[3],
        met.version == 2, met.sequence == base
      else {
        Issue.record("\(reply), before \(before)")
        return
      }
      let page = try await other.changes(zone: "Notes", since: before, limit: 9, maximumBytes: 9999)
      #expect(page.records.map(\.key.name) == ["a", "c", "d"])
      #expect(page.records.map(\.sequence) == [base + 1, base + 3, base + 4])
      // Each server accepts the cursor of the other one.
      #expect(page.cursor.sequence == base + 4 && reply.cursor.sequence == base + 4)
      let next = try await other.commit([likes("a", 10, expected: 2)], zone: "Notes", heard: reply.cursor)
      #expect(next.cursor.sequence == base + 5)
      let rest = try await one.changes(zone: "Notes", since: page.cursor, limit: 9, maximumBytes: 9999)
      #expect(rest.records.map(\.sequence) == [base + 5])
    }

    @Test func `a damaged record, database error or conflict of one caller does not affect others`() async throws {
      let database = try Database()
      let backend = try await backend(database)
      defer { backend.close() }
      try database.execute(
        Self.slowZones + """
          INSERT INTO sync_record VALUES ('Zone5', 'timers', 'timer', 1, 1, '\\x0102');
          INSERT INTO sync_record VALUES ('Zone6', 'timers', 'timer', 1, 1, '\\xff');
          CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not this one'; END $$;
          CREATE TRIGGER refuse BEFORE INSERT ON sync_record FOR EACH ROW
            WHEN (NEW.zone = 'Zone9') EXECUTE FUNCTION refuse();
          """)
      let results = await commits(
        backend, [3: operation(expected: 7), 4: operation(key: RecordKey(type: "clocks", name: "timer"))])
      for caller in 0..<Self.callers {
        let result = try #require(results[caller])
        switch (caller, result) {
        case (3, .success(let reply)): #expect(reply.results == [.conflict(nil)])
        case (4, .success(let reply)):
          guard case .refused = reply.results.first else {
            Issue.record("\(reply)")
            break
          }
        case (5, .failure(let error)): #expect("\(error)".contains("holds a damaged record"))
        case (6, .failure(let error)): #expect(error.code == "unsupported-format")
        case (9, .failure(let error)): #expect("\(error)".contains("not this one"))
        case (3...6, _), (9, _), (_, .failure): Issue.record("caller \(caller): \(result)")
        case (_, .success(let reply)):
          guard case .committed(1, _, _) = reply.results.first else {
            Issue.record("caller \(caller): \(reply)")
            break
          }
        }
      }
      #expect(
        try database.value(
          "SELECT count(*) FROM sync_record WHERE type = 'timers' AND zone <> 'Zone5' AND zone <> 'Zone6'") == "19")
    }

    @Test func `a server detects that another server has changed or removed a record in its cache`() async throws {
      let database = try Database()
      let (one, other) = (
        try await backend(database),
        try await backend(database)
      )
      defer {
        one.close()
        other.close()
      }
      func commit(_ number: Int64, expected: Int64, by device: Int = 1, _ backend: PostgresBackend) async throws
        -> CommitResult?
      {
        try await backend.commit([operation(number, by: device, expected: expected)], zone: "Zone1").results.first
      }
      func isCommitted(_ result: CommitResult?, version: Int64) -> Bool {
        if case .committed(version, _, _)? = result { true } else { false }
      }
      // Both servers start their incarnations of the zone. Then each caches the record that it wrote.
      #expect(isCommitted(try await commit(1, expected: 0, one), version: 1))
      #expect(isCommitted(try await commit(1, expected: 1, by: 2, other), version: 2))
      #expect(isCommitted(try await commit(2, expected: 2, one), version: 3))
      #expect(isCommitted(try await commit(3, expected: 3, one), version: 4))
      for round in 0..<3 as Range<Int64> {
        let version = 4 + 2 * round
        // A device that has not read the current record receives it, not the cached one.
        #expect(isCommitted(try await commit(2 + round, expected: version, by: 2, other), version: version + 1))
        guard case .conflict(let record?)? = try await commit(4 + round, expected: version, one) else {
          Issue.record("the other server's change is not seen")
          return
        }
        #expect(record.version == version + 1)
        #expect(isCommitted(try await commit(4 + round, expected: version + 1, one), version: version + 2))
      }
      // A write with the same number is a retry. Every server recognizes it.
      for backend in [one, other] {
        let result = try await commit(6, expected: 10, backend)
        #expect(result == .unchanged, "\(String(describing: result))")
      }
      // After the row is removed, a server does not use its cached copy.
      try database.execute("DELETE FROM sync_record WHERE type = 'timers'")
      #expect(try await commit(7, expected: 10, one) == .conflict(nil))
    }

    @Test func `V14: every acknowledged commit is in the database after PostgreSQL is killed`() async throws {
      let database = try Database()
      let backend = try await backend(database)
      defer { backend.close() }
      let answered = try await withThrowingTaskGroup(of: (Int, Int64).self) { group in
        for caller in 0..<Self.callers {
          group.addTask {
            var version: Int64 = 0
            while true {
              do throws(BackendError) {
                let reply = try await backend.commit(
                  [operation(version + 1, expected: version)], zone: "Zone\(caller)")
                guard case .committed(version + 1, _, _) = reply.results.first else { return (caller, -1) }
                version += 1
              } catch {
                return (caller, version)
              }
            }
          }
        }
        // Waits until one caller has made 20 commits. By then, all callers have committed.
        while try await backend.changes(zone: "Zone7", since: nil, limit: 9, maximumBytes: 1 << 20).cursor.sequence < 23
        {}
        try database.kill()
        return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
      }
      try database.start()
      let lines = try database.value("SELECT zone || ' ' || version FROM sync_record WHERE type = 'timers'").split(
        separator: "\n")
      let versions = Dictionary(
        uniqueKeysWithValues: lines.map { $0.split(separator: " ") }.map { ($0[0], Int64($0[1])) })
      for (caller, version) in answered {
        let stored = try #require(versions["Zone\(caller)"] ?? nil)
        // The last commit may have succeeded without a response.
        #expect(version > 0 && (version...version + 1).contains(stored), "zone \(caller): \(version), stored \(stored)")
      }
    }

    @Test func `commits to a suspended database time out, and succeed after it continues`() async throws {
      let database = try Database()
      try await backend(database).close()
      let backend = try await PostgresBackend(
        database.information + " connect_timeout=2", zones: Self.zones, answerMilliseconds: 300)
      defer { backend.close() }
      try database.signal("STOP")
      let began = ContinuousClock.now
      await #expect(throws: BackendError.timedOut) { try await backend.commit([operation()], zone: "Zone1") }
      await #expect(throws: BackendError.timedOut) { try await backend.serverTime() }
      #expect(began.duration(to: .now) < .seconds(30))
      try database.signal("CONT")
      let reply = try await backend.commit([operation()], zone: "Zone1")
      // The first commit may have succeeded.
      guard case .committed = reply.results.first else {
        guard case .conflict(let record?) = reply.results.first, record.version == 1 else {
          Issue.record("\(reply)")
          return
        }
        return
      }
    }

    @Test func `a server applies rules that another server has added, even if it has cached the older ones`()
      async throws
    {
      let database = try Database()
      let one = try await PostgresBackend(database.information, zones: ["Notes"])
      let other = try await PostgresBackend(database.information, zones: ["Notes"])
      defer {
        one.close()
        other.close()
      }
      func rules(_ number: Int64, _ name: String, _ text: String) -> RecordOperation {
        let write = Write(
          dot: Dot(device: DeviceID(stem: "mac", random: 1), number: number), milliseconds: 1,
          fields: [.init(name: name, value: Array(text.utf8))])
        return .init(key: ZoneRules.key(of: "notes"), expectedVersion: number - 1, change: .write(write))
      }
      func change(
        _ number: Int64, by device: UInt32 = 1, seen: [Dot] = [], isDeletion: Bool = false
      ) -> RecordOperation {
        let write = Write(
          dot: Dot(device: DeviceID(stem: "mac", random: device), number: number), milliseconds: 1,
          context: VersionVector(seen),
          record: RecordWrite(isDeletion: isDeletion, changes: isDeletion ? [] : [.init(name: "likes", kind: .add(1))]))
        let key = RecordKey(type: "notes", name: "a")
        return .init(key: key, expectedVersion: number + Int64(device) - 3, change: .write(write))
      }
      func commit(_ operation: RecordOperation, _ backend: PostgresBackend) async throws {
        let results = try await backend.commit([operation], zone: "Notes").results
        guard case .committed? = results.first else { throw BackendError.invalid("\(results)") }
      }
      try await commit(rules(1, "likes", "integer counter"), one)
      // Both servers start their incarnations of the zone. Then one caches the record and its collection's rules.
      try await commit(rules(2, "title", "string newest"), other)
      for number in 2...5 as ClosedRange<Int64> { try await commit(change(number), one) }
      try await commit(rules(3, ZoneRules.deleteName, DeleteRule.deleteWins.rawValue), other)
      // The author of this deletion had not seen the last change. If the edit wins, the record continues to exist.
      let seen = Dot(device: DeviceID(stem: "mac", random: 1), number: 4)
      try await commit(change(5, by: 2, seen: [seen], isDeletion: true), one)
      #expect(try database.value("SELECT deleted_life FROM sync_record WHERE type = 'notes'") == "0")
    }

    @Test func `servers that start at the same time on an empty database create each zone with one incarnation`()
      async throws
    {
      let database = try Database()
      let backends = try await withThrowingTaskGroup(of: PostgresBackend.self) { group in
        for _ in 0..<4 {
          group.addTask { try await PostgresBackend(database.information, zones: Self.zones) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      defer { for backend in backends { backend.close() } }
      #expect(try database.value("SELECT count(*) FROM sync_zone") == "\(Self.callers)")
      #expect(try database.value("SELECT count(*) FROM sync_life") == "\(Self.callers)")
    }

    @Test func `V23: if a database copy is restored while servers run, the first server that commits detects it`()
      async throws
    {
      let database = try Database()
      let zone = "Zone1"
      let (one, other) = (
        try await backend(database),
        try await backend(database)
      )
      defer { for backend in [one, other] { backend.close() } }
      func write(_ numbers: ClosedRange<Int64>, _ backend: PostgresBackend) async throws {
        for number in numbers {
          let reply = try await backend.commit([operation(number, expected: number - 1)], zone: zone)
          guard case .committed(number, _, _) = reply.results.first else {
            throw BackendError.invalid("\(reply)")
          }
        }
      }
      func page(_ cursor: SyncCore.Cursor?) async throws -> ChangePage {
        try await one.changes(zone: zone, since: cursor, limit: 9, maximumBytes: 9999)
      }
      var signs = other.watch(zone: zone, device: DeviceID(stem: "mac", random: 9)).makeAsyncIterator()
      // Both servers start their incarnations of the zone before the copy is made.
      try await write(1...1, other)
      try await write(2...3, one)
      let kept = try await page(nil).cursor
      let tables = ["sync_zone", "sync_record", "sync_life", "sync_tag", "sync_act"]
      try database.execute(tables.map { "CREATE TABLE copy_\($0) AS TABLE \($0);" }.joined())
      try await write(4...5, one)
      let gone = try await page(kept).cursor
      #expect(gone.generation == kept.generation && gone.sequence == 8)
      while try await signs.next() != .notification(gone) {}
      try database.execute(tables.map { "DELETE FROM \($0); INSERT INTO \($0) TABLE copy_\($0);" }.joined())
      // The other server has the lost content. It writes more changes than the copy lacks.
      try await write(4...9, other)
      #expect(try await page(kept).records.count == 1)
      await #expect(throws: BackendError.cursorExpired) { try await page(gone) }
      // A normal incarnation of two servers is not mistaken for a restored copy.
      let before = try database.value("SELECT count(*) FROM sync_life WHERE zone = '\(zone)'")
      try await write(10...12, other)
      #expect(try database.value("SELECT count(*) FROM sync_life WHERE zone = '\(zone)'") == before)
    }
  }
#endif
