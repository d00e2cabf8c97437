#if Network
  import SyncCore
  import SyncEngine
  import SyncPomodoro
  import SyncPostgres
  import Testing

  /// The maximum number of records in a collection, enforced by PostgreSQL for all servers.
  @Suite(.timeLimit(.minutes(10))) struct CollectionLimitTests {
    private static let zone = "Limited"

    private func operation(_ key: RecordKey, _ device: Int, _ write: (inout Write) -> Void) -> RecordOperation {
      var one = Write(dot: Dot(device: DeviceID(stem: "d", random: UInt32(device)), number: 1), milliseconds: 1)
      write(&one)
      return RecordOperation(key: key, expectedVersion: 0, change: .write(one))
    }

    private func note(_ number: Int) -> RecordOperation {
      operation(RecordKey(type: "notes", name: "n\(number)"), number) { $0.record = RecordWrite() }
    }

    @Test func `two servers that fill a collection at once do not exceed its limit, and forgotten records free space`()
      async throws
    {
      let database = try Database()
      var backends: [PostgresBackend] = []
      for _ in 0..<2 {
        backends.append(try await PostgresBackend(database.information, zones: [Self.zone]))
      }
      defer { for backend in backends { backend.close() } }
      let rules = ["title": "string newest", "_limit": "5"].map {
        Write.FieldChange(name: $0.key, value: Array($0.value.utf8))
      }
      _ = try await backends[0].commit(
        [operation(ZoneRules.key(of: "notes"), 99) { $0.fields = rules.sorted { $0.name < $1.name } }], zone: Self.zone)
      let taken = try await withThrowingTaskGroup(of: Int.self) { [backends] group in
        for number in 0..<40 {
          group.addTask {
            // A server that has not read the other server's commit refuses with a conflict, an unpredictable number of
            // times.
            for _ in 0..<5_000 {
              switch try await backends[number % 2].commit([note(number)], zone: Self.zone).results.first {
              case .committed?: return 1
              case .refused(let refusal)?:
                #expect("\(refusal)".contains("at most 5 are allowed"))
                return 0
              default: continue
              }
            }
            Issue.record("the commit \(number) never came to an end")
            return 0
          }
        }
        return try await group.reduce(0, +)
      }
      #expect(taken == 5)
      #expect(try database.value("SELECT count(*) FROM sync_record WHERE type = 'notes'") == "5")
      #expect(try database.value("SELECT records FROM sync_collection WHERE type = 'notes'") == "5")
      try database.execute(
        "DELETE FROM sync_record WHERE name = (SELECT min(name) FROM sync_record WHERE type = 'notes')")
      let more = try await backends[1].commit([note(100), note(101)], zone: Self.zone).results
      guard case .committed = more[0], case .refused = more[1] else {
        Issue.record("\(more)")
        return
      }
    }

    @Test func `a deletion is removed after 90 days by the database's clock`() async throws {
      let database = try Database()
      let rules = operation(ZoneRules.key(of: "notes"), 99) {
        $0.fields = [.init(name: "title", value: Array("string newest".utf8))]
      }
      let first = try await PostgresBackend(database.information, zones: [Self.zone])
      _ = try await first.commit([rules, note(1)], zone: Self.zone)
      let living = try #require(
        try await first.changes(zone: Self.zone, since: nil, limit: 9, maximumBytes: 1 << 16).records.last)
      var deletion = note(1)
      deletion.expectedVersion = living.version
      deletion.change = .write(
        Write(
          dot: Dot(device: DeviceID(stem: "d", random: 1), number: 2), milliseconds: 2, context: living.cell.context,
          record: RecordWrite(isDeletion: true)))
      let cursor = try await first.commit([deletion], zone: Self.zone).cursor
      first.close()
      // The ages as recorded 93 and 92 days ago. There were no commits afterward.
      var ages = ZoneAges()
      let now = try #require(Int64(try database.value("SELECT (extract(epoch FROM now()) * 1000)::int8")))
      for days in [Int64(93), 92] {
        #expect(ages.note(cursor.sequence, atMilliseconds: now - days * ZoneAges.dayMilliseconds - 60_000) == nil)
      }
      let notes = ages.packed().map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
      try database.execute("UPDATE sync_age SET notes = '\\x\(notes)'")
      let second = try await PostgresBackend(database.information, zones: [Self.zone])
      defer { second.close() }
      let reply = try await second.commit([note(2)], zone: Self.zone)
      guard case .committed = reply.results.first else {
        Issue.record("\(reply)")
        return
      }
      let page = try await second.changes(zone: Self.zone, since: cursor, limit: 9, maximumBytes: 1 << 16)
      #expect(page.records.map(\.key.name) == ["n2"])
      #expect(page.dropped == Dropped(sequence: cursor.sequence, incarnation: 1))
      #expect(try database.value("SELECT count(*) FROM sync_record WHERE type = 'notes'") == "1")
    }
  }
#endif
