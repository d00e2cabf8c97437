import FlowModel
import FlowPluginKit
import FlowSQLite
import FlowTestKit
import StorageCore
import Testing

@testable import StoragePlugin

struct `Reading a store` {
  let folder: TemporaryFolder
  let host: TestHost

  init() async throws {
    folder = try TemporaryFolder()
    host = TestHost(dataFolder: folder.path, workflowFolder: folder.path)
    try folder.write(
      """
      CREATE TABLE Trip (id TEXT PRIMARY KEY, name TEXT);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 17)
      INSERT INTO Trip SELECT 'trip-' || i, 'Trip ' || i FROM n
      """, to: "trips.sql")
    _ = try await host.call(OpenStore.self, with: ["migrations": ["trips.sql"]])
  }

  private func tripCount() async throws -> Value? {
    try await host.call(Query.self, with: ["sql": "SELECT count(*) AS n FROM Trip"])["rows"]?.arrayValue?.first?
      .objectValue?["n"]
  }

  private func code(_ action: any ActionType.Type, _ inputs: ValueObject) async -> String? {
    do {
      _ = try await host.call(action, with: inputs)
      return nil
    } catch {
      return (error as? ActionError)?.code ?? "\(error)"
    }
  }

  @Test(arguments: [0, 1001]) func `refuses a limit outside 1 to 1000 before and during the run`(_ limit: Int)
    async
  {
    #expect(await code(Query.self, ["sql": "SELECT 1", "limit": .integer(limit)]) == "limit-out-of-range")
    #expect(Query.check(LiteralInput(["limit": .integer(limit)])).map(\.keyPath) == ["limit"])
    #expect(Query.check(LiteralInput(["limit": 1])).isEmpty && Query.check(LiteralInput(["limit": 1000])).isEmpty)
  }

  @Test func `returns columns and rows with values of every type`() async throws {
    let outputs = try await host.call(
      Query.self,
      with: [
        "sql": "SELECT ? AS n, ? AS t, ? AS b, NULL AS gap, 1.5 AS d, x'00ff' AS bytes", "arguments": [7, "é", true],
      ])
    #expect(outputs["columns"] == ["n", "t", "b", "gap", "d", "bytes"])
    #expect(outputs["rows"] == [["n": 7, "t": "é", "b": 1, "gap": nil, "d": 1.5, "bytes": "AP8="]])
    #expect(outputs["truncated"] == false)
  }

  @Test func `returns at most the requested number of rows, and reports if there are more`() async throws {
    let sql: Value = "SELECT id FROM Trip"
    let cut = try await host.call(Query.self, with: ["sql": sql, "limit": 16])
    #expect(cut["count"] == 16 && cut["truncated"] == true)
    let whole = try await host.call(Query.self, with: ["sql": sql, "limit": 17])
    #expect(whole["count"] == 17 && whole["truncated"] == false)
  }

  @Test(
    arguments: [
      ("DELETE FROM Trip", "query-writes"), ("PRAGMA user_version = 3", "query-writes"),
      ("CREATE TABLE x (y)", "query-writes"), ("SELEKT 1", "query-invalid"), ("", "query-invalid"),
      ("SELECT 1; SELECT 2", "query-invalid"), ("SELECT ?", "query-invalid"),
      ("SELECT * FROM Nowhere", "query-invalid"), ("SELECT \"nowhere\"", "query-invalid"),
    ])
  func `refuses a query that writes or is invalid`(_ sql: String, _ expected: String) async throws {
    #expect(await code(Query.self, ["sql": .string(sql)]) == expected)
    #expect(try await tripCount() == 17)
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
  func `refuses a query that accesses other files or changes the store`(_ sql: String, _ expected: String) async throws
  {
    let before = try folder.names
    let statement = sql.replacing("%", with: folder.path)
    #expect(await code(Query.self, ["sql": .string(statement)]) == expected)
    #expect(try folder.names == before)
    #expect(try await tripCount() == 17)
  }

  @Test(
    arguments: [
      "SELECT count(*) FROM Trip", "PRAGMA user_version", "PRAGMA table_info(Trip)",
      "SELECT name FROM pragma_table_info('Trip')", "EXPLAIN QUERY PLAN SELECT * FROM Trip",
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT sum(i) FROM n",
      "SELECT upper(name), json_array(1, 2), row_number() OVER (ORDER BY id) FROM Trip",
      "SELECT sql FROM sqlite_schema",
    ])
  func `runs a query that only reads the store`(_ sql: String) async throws {
    #expect(await code(Query.self, ["sql": .string(sql)]) == nil)
  }

  @Test func `searches a full-text table that a migration has created`() async throws {
    try folder.write(
      "CREATE VIRTUAL TABLE Note USING fts5(text); INSERT INTO Note VALUES ('a red kite'), ('a blue one')", to: "1.sql")
    let own = TestHost(dataFolder: folder.path, workflowFolder: folder.path)
    _ = try await own.call(OpenStore.self, with: ["path": "notes.sqlite", "migrations": ["1.sql"]])
    let found = try await own.call(Query.self, with: ["sql": "SELECT text FROM Note WHERE Note MATCH 'kite'"])
    #expect(found["rows"] == [["text": "a red kite"]])
    try own.closeHandles()
  }

  @Test func `refuses an argument without an SQL type`() async {
    #expect(await code(Query.self, ["sql": "SELECT ?", "arguments": [["a": 1]]]) == "query-invalid")
  }

  @Test(.timeLimit(.minutes(10)))
  func `interrupts an endless query when its step is cancelled`() async throws {
    let endless: ValueObject = [
      "sql": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(n.i) FROM n, Trip"
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

  /// True if a statement is reading the store. The write-ahead log can then not be truncated.
  private func isRead(_ observer: SQLiteQueue) throws -> Bool {
    try observer.sync { db in
      try db.execute("UPDATE Trip SET id = id WHERE id = (SELECT min(id) FROM Trip)")
      return try db.integer("PRAGMA wal_checkpoint(TRUNCATE)") == 1
    }
  }

  @Test func `L16: fails with handle-missing if no step has opened a store`() async {
    await #expect {
      try await TestHost().call(Query.self, with: ["sql": "SELECT 1"])
    } throws: { ($0 as? ActionError)?.code == "handle-missing" }
  }
}

struct `Key-value pairs` {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open() throws -> StoreKeyValues {
    StoreKeyValues(store: try Store.open(at: folder.file("store.sqlite")).store)
  }

  @Test func `stores values by scope and key across restarts`() throws {
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

  @Test func `applies all changes or none`() throws {
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

  @Test func `creates the table when the first value is stored`() throws {
    let values = try open()
    func hasTable() throws -> Bool { try values.store.pool.read { try $0.hasTable("KeyValue") } }
    #expect(try values.get("key", in: "one") == nil && values.all(in: "one").isEmpty)
    try #expect(!hasTable())
    try values.put(1, for: "key", in: "one")
    try #expect(hasTable())
  }

  @Test func `reports the key of a damaged value`() throws {
    let values = try open()
    try values.put(1, for: "other", in: "s")
    try values.store.pool.write { try $0.execute("INSERT INTO KeyValue VALUES ('s', 'k', '{oops')") }
    #expect {
      try values.get("k", in: "s")
    } throws: { ($0 as? ActionError)?.code == "store-corrupt" && "\($0)".contains("'k'") }
  }
}
