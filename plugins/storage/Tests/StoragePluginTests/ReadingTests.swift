import FlowModel
import FlowPluginKit
import FlowSQLite
import FlowTestKit
import Testing

@testable import StoragePlugin

@Suite struct `Reading a store` {
  let folder: TemporaryFolder
  let host: TestHost

  init() async throws {
    folder = try TemporaryFolder()
    host = TestHost(dataFolder: folder.path)
    _ = try await host.call(OpenStore.self, with: ["sample": true])
  }

  private func texts(_ values: Value?, _ key: String) -> [String] {
    values?.arrayValue?.compactMap { $0.objectValue?[key]?.stringValue } ?? []
  }

  private func code(_ action: any ActionType.Type, _ inputs: ValueObject) async -> String? {
    do {
      _ = try await host.call(action, with: inputs)
      return nil
    } catch {
      return (error as? ActionError)?.code ?? "\(error)"
    }
  }

  @Test func `L24 trips come by their first day, newest first`() async throws {
    let outputs = try await host.call(Trips.self)
    let days = texts(outputs["trips"], "startDate")
    #expect(outputs["count"] == 17)
    #expect(days == days.sorted(by: >))
    #expect(days.first == "2025-02-01" && days.last == "2012-04-02")
    #expect(outputs["trips"]?.arrayValue?.first?.objectValue?["destinationCount"] == 7)
  }

  @Test func `L29 recent destinations come by their day, newest first, as many as asked for`() async throws {
    let outputs = try await host.call(RecentDestinations.self, with: ["limit": 3])
    #expect(texts(outputs["destinations"], "name") == ["Mexico City", "Vancouver", "Hanoi"])
    #expect(outputs["destinations"]?.arrayValue?.first?.objectValue?["latitude"] == 19.4285)
  }

  @Test func `L29 the key configuration is there after the first launch`() async throws {
    let outputs = try await host.call(ReadValues.self, with: ["scope": "configuration"])
    #expect(outputs["entries"]?.objectValue?["trips.page-size"] == 20)
    #expect(outputs["count"] == 3)
    #expect(try await host.call(ReadValues.self, with: ["scope": "nobody's"])["count"] == 0)
  }

  @Test func `L37 a trip's destinations come in the order of the journey`() async throws {
    let outputs = try await host.call(Destinations.self, with: ["trip": "2021-chuan-yu"])
    #expect(texts(outputs["destinations"], "name") == ["Chengdu", "Leshan", "Chongqing"])
    #expect(await code(Destinations.self, ["trip": "2077-mars"]) == "unknown-trip")
    #expect(try await host.call(Destinations.self, with: ["limit": 5, "offset": 134])["count"] == 2)
  }

  @Test func `statistics count places, countries and trips`() async throws {
    let outputs = try await host.call(Statistics.self)
    #expect(outputs["destinations"] == 136 && outputs["trips"] == 17)
    #expect(outputs["first-visit"] == "2011-10-02" && outputs["last-visit"] == "2025-05-23")
  }

  @Test func `L36 an empty store is loaded too: zero rows, no error`() async throws {
    let empty = TestHost(dataFolder: folder.path)
    _ = try await empty.call(OpenStore.self, with: ["path": "empty.sqlite"])
    #expect(try await empty.call(Trips.self) == ["trips": [], "count": 0])
    #expect(try await empty.call(RecentDestinations.self)["count"] == 0)
    let statistics = try await empty.call(Statistics.self)
    #expect(statistics["destinations"] == 0 && statistics["first-visit"] == .null)
    try empty.closeHandles()
  }

  @Test(arguments: [0, 1001]) func `a limit outside 1 to 1000 is refused, before and at the run`(_ limit: Int) async {
    for action in [Trips.self, RecentDestinations.self, Destinations.self] as [any ActionType.Type] {
      #expect(await code(action, ["limit": .integer(limit)]) == "limit-out-of-range")
      #expect(action.check(LiteralInput(["limit": .integer(limit)])).map(\.keyPath) == ["limit"])
      #expect(action.check(LiteralInput(["limit": 1])).isEmpty && action.check(LiteralInput(["limit": 1000])).isEmpty)
    }
  }

  @Test func `a query gives columns, rows and every kind of value`() async throws {
    let outputs = try await host.call(
      Query.self,
      with: [
        "sql": "SELECT ? AS n, ? AS t, ? AS b, NULL AS gap, 1.5 AS d, x'00ff' AS bytes", "arguments": [7, "é", true],
      ])
    #expect(outputs["columns"] == ["n", "t", "b", "gap", "d", "bytes"])
    #expect(outputs["rows"] == [["n": 7, "t": "é", "b": 1, "gap": nil, "d": 1.5, "bytes": "AP8="]])
    #expect(outputs["truncated"] == false)
  }

  @Test func `a query stops at its limit and says so`() async throws {
    let sql: Value = "SELECT id FROM TravelTrip"
    let cut = try await host.call(Query.self, with: ["sql": sql, "limit": 16])
    #expect(cut["count"] == 16 && cut["truncated"] == true)
    let whole = try await host.call(Query.self, with: ["sql": sql, "limit": 17])
    #expect(whole["count"] == 17 && whole["truncated"] == false)
  }

  @Test(
    arguments: [
      ("DELETE FROM TravelTrip", "query-writes"), ("PRAGMA user_version = 3", "query-writes"),
      ("CREATE TABLE x (y)", "query-writes"), ("SELEKT 1", "query-invalid"), ("", "query-invalid"),
      ("SELECT 1; SELECT 2", "query-invalid"), ("SELECT ?", "query-invalid"),
      ("SELECT * FROM Nowhere", "query-invalid"), ("SELECT \"nowhere\"", "query-invalid"),
    ])
  func `a query that writes or is wrong is refused`(_ sql: String, _ expected: String) async throws {
    #expect(await code(Query.self, ["sql": .string(sql)]) == expected)
    #expect(try await host.call(Statistics.self)["trips"] == 17)
  }

  @Test(
    arguments: [
      ("ATTACH '%/outside.sqlite' AS other", "query-outside"), ("attach ':memory:' AS other", "query-outside"),
      ("DETACH main", "query-outside"), ("SELECT load_extension('%/outside')", "query-outside"),
      ("VACUUM INTO '%/outside.sqlite'", "query-writes"), ("VACUUM", "query-writes"), ("ANALYZE", "query-writes"),
      ("REINDEX", "query-writes"), ("BEGIN", "query-writes"), ("SAVEPOINT a", "query-writes"),
      ("CREATE TEMP TABLE x (y)", "query-writes"), ("CREATE VIRTUAL TABLE temp.x USING fts5(y)", "query-writes"),
      ("PRAGMA temp_store_directory = '%'", "query-writes"), ("PRAGMA writable_schema = 1", "query-writes"),
      ("UPDATE sqlite_master SET sql = ''", "query-invalid"), ("PRAGMA wal_checkpoint(TRUNCATE)", "query-writes"),
      ("PRAGMA journal_mode = DELETE", "query-writes"),
    ])
  func `a query that leaves the store is refused and leaves no file`(_ sql: String, _ expected: String) async throws {
    let before = try folder.names
    let statement = sql.replacing("%", with: folder.path)
    #expect(await code(Query.self, ["sql": .string(statement)]) == expected)
    #expect(try folder.names == before)
    #expect(try await host.call(Statistics.self)["trips"] == 17)
  }

  @Test(
    arguments: [
      "SELECT count(*) FROM TravelTrip", "PRAGMA user_version", "PRAGMA table_info(TravelTrip)",
      "SELECT name FROM pragma_table_info('TravelTrip')", "EXPLAIN QUERY PLAN SELECT * FROM TravelTrip",
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT sum(i) FROM n",
      "SELECT upper(name), json_array(1, 2), row_number() OVER (ORDER BY id) FROM TravelTrip",
      "SELECT sql FROM sqlite_schema",
    ])
  func `a query that reads the store is answered`(_ sql: String) async throws {
    #expect(await code(Query.self, ["sql": .string(sql)]) == nil)
  }

  @Test func `a query searches a table of full text that a migration made`() async throws {
    try folder.write(
      "CREATE VIRTUAL TABLE Note USING fts5(text); INSERT INTO Note VALUES ('a red kite'), ('a blue one')", to: "1.sql")
    let own = TestHost(dataFolder: folder.path, workflowFolder: folder.path)
    _ = try await own.call(OpenStore.self, with: ["path": "notes.sqlite", "migrations": ["1.sql"]])
    let found = try await own.call(Query.self, with: ["sql": "SELECT text FROM Note WHERE Note MATCH 'kite'"])
    #expect(found["rows"] == [["text": "a red kite"]])
    try own.closeHandles()
  }

  @Test func `an argument that SQL has no type for is refused`() async {
    #expect(await code(Query.self, ["sql": "SELECT ?", "arguments": [["a": 1]]]) == "query-invalid")
  }

  @Test(.timeLimit(.minutes(10)))
  func `a query that never ends is interrupted when its step is cancelled`() async throws {
    let endless: ValueObject = [
      "sql": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(n.i) FROM n, TravelTrip"
    ]
    let observer = try SQLiteQueue(folder.file("store.sqlite"))
    #expect(try !isRead(observer))
    let call = Task { try await host.call(Query.self, with: endless) }
    while try !isRead(observer) { await Task.yield() }
    host.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(try !isRead(observer))
    observer.close()
  }

  /// Whether a statement is reading the store: then the log cannot be emptied.
  private func isRead(_ observer: SQLiteQueue) throws -> Bool {
    try observer.sync { db in
      try db.execute("UPDATE TravelTrip SET id = id WHERE id = (SELECT min(id) FROM TravelTrip)")
      return try db.integer("PRAGMA wal_checkpoint(TRUNCATE)") == 1
    }
  }

  @Test func `L16 without a store before it, a reader says what is missing`() async {
    await #expect {
      try await TestHost().call(Trips.self)
    } throws: { ($0 as? ActionError)?.code == "handle-missing" }
  }
}

@Suite struct `Small values` {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open() throws -> StoreKeyValues {
    StoreKeyValues(store: try Store.open(at: folder.file("store.sqlite")).store)
  }

  @Test func `are kept by scope and key, over a restart`() throws {
    let values = try open()
    try values.put(["a": [1, nil, "é\u{0}\n"]], for: "key", in: "one")
    try values.put(2.5, for: "key", in: "two")
    values.store.close()
    let again = try open()
    #expect(try again.get("key", in: "one") == ["a": [1, nil, "é\u{0}\n"]])
    #expect(try again.all(in: "two") == ["key": 2.5])
    try again.delete("key", in: "one")
    try again.delete("key", in: "one")
    #expect(try again.get("key", in: "one") == nil)
  }

  @Test func `change together or not at all`() throws {
    let values = try open()
    let tooLarge = Value.string(String(repeating: "x", count: StoreKeyValues.limitBytes - 1))
    #expect(throws: ActionError.self) {
      try values.apply([.put(key: "a", value: 1), .put(key: "b", value: tooLarge)], in: "scope")
    }
    #expect(try values.all(in: "scope").isEmpty)
    let largest = Value.string(String(repeating: "x", count: StoreKeyValues.limitBytes - 2))
    try values.put(largest, for: "b", in: "scope")
    #expect(try values.get("b", in: "scope") == largest)
  }

  @Test func `a damaged value is named`() throws {
    let values = try open()
    try values.store.pool.write { try $0.execute("INSERT INTO KeyValue VALUES ('s', 'k', '{oops')") }
    #expect {
      try values.get("k", in: "s")
    } throws: { ($0 as? ActionError)?.code == "store-corrupt" && "\($0)".contains("'k'") }
  }
}
