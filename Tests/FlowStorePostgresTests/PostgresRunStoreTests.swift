#if Network
  import FlowStore
  import FlowStorePostgres
  import FlowTestKit
  import TestSupport
  import Testing

  struct `A PostgreSQL run store` {
    private let database: Database

    init() throws { database = try Database() }

    private var address: String {
      "postgresql:///postgres?host=\(database.folder)/socket&user=sync"
    }

    private func run(_ id: String) -> StoredRun {
      StoredRun(
        id: id, workflow: "w", file: "/w.yaml", startedMilliseconds: 1, state: .running, epoch: 1,
        holder: RunHolder(process: 1, host: "here"), header: [])
    }

    @Test func `a PostgreSQL run store conforms to the rules for all stores`() throws {
      let address = address
      let conformance = RunStoreConformance { () throws -> any RunStore in try PostgresRunStore(address) }
      #expect(try conformance.problems() == [])
    }

    @Test(.timeLimit(.minutes(10)))
    func `after a lease expires, another process can take over the run, and the previous one is fenced off`() throws {
      let store = try PostgresRunStore(address, leaseMilliseconds: 600)
      let other = try PostgresRunStore(address, leaseMilliseconds: 600)
      let old = try store.create(run("a"), definition: [1])
      try store.append([1], to: old, isDurable: true)
      // This simulates a suspended process. In fact the process is running, so it may renew the lease at the same time.
      var taken: (any RunLease)?
      while taken == nil {
        try database.execute("UPDATE flowrun_run SET lease_until = clock_timestamp() - interval '1 second'")
        taken = try? other.take(
          "a", at: RunPosition(epoch: 1, chunkCount: 1), by: RunHolder(process: 2, host: "there"))
      }
      let new = try #require(taken)
      #expect(new.epoch == 2)
      #expect(throws: StoreProblem.fenced(run: "a")) { try store.append([2], to: old, isDurable: true) }
      #expect(throws: StoreProblem.fenced(run: "a")) { try store.finish(old, state: .success, summary: []) }
      #expect(throws: StoreProblem.fenced(run: "a")) { _ = try store.requests(of: old) }
      try other.append([3], to: new, isDurable: true)
      #expect(try other.chunks(of: "a") == [[1], [3]])
    }

    @Test(arguments: [
      "workflow = 'v'", "file = '/v.yaml'", "started = started + 1", "epoch = epoch + 1", "process = process + 1",
      "host = host || 'x'", "header = header || '\\x01'", "summary = summary || '\\x01'", "state = 'failure'",
    ])
    func `damage to any column of a run is detected`(change: String) throws {
      let store = try PostgresRunStore(address)
      _ = try store.create(run("a"), definition: [1])
      _ = try store.create(run("b"), definition: [1])
      #expect(try store.runs(RunFilter()).count == 2)
      // Without the expression, the database does not update the checksum, which simulates a disk that has changed the
      // data.
      try database.execute("ALTER TABLE flowrun_run ALTER COLUMN checksum DROP EXPRESSION")
      try database.execute("UPDATE flowrun_run SET \(change) WHERE id = 'a'")
      let list = try store.list(RunFilter())
      #expect(list.runs.map(\.id) == ["b"] && list.damaged == ["a"], "and hides no other run")
    }

    @Test func `a damaged definition is detected`() throws {
      let store = try PostgresRunStore(address)
      _ = try store.create(run("a"), definition: [1, 2])
      try database.execute("UPDATE flowrun_definition SET bytes = '\\x0103'")
      let error = #expect(throws: StoreProblem.self) { try store.definition(of: "a") }
      guard case .damaged = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }

    @Test(.timeLimit(.minutes(10)))
    func `data written before and after a restart of the database is kept`() throws {
      let store = try PostgresRunStore(address)
      let lease = try store.create(run("a"), definition: [1])
      try store.append([1], to: lease, isDurable: true)
      try database.kill()
      try database.start()
      try store.append([2], to: lease, isDurable: true)
      try store.finish(lease, state: .success, summary: [])
      #expect(try PostgresRunStore(address).chunks(of: "a") == [[1], [2]])
    }

    @Test func `a PostgreSQL run store is rejected if its version is newer or its server cannot be reached`() throws {
      _ = try PostgresRunStore(address)
      try database.execute("UPDATE flowrun_store SET version = 2")
      #expect {
        _ = try PostgresRunStore(address)
      } throws: { error in
        if case StoreProblem.newer(_, version: 2) = error { true } else { false }
      }
      #expect {
        _ = try PostgresRunStore("postgres://ada:secret@127.0.0.1:1/none")
      } throws: { error in
        guard case StoreProblem.unusable(let path, _) = error else { return false }
        return path == "postgres://ada:***@127.0.0.1:1/none"
      }
    }
  }
#endif
