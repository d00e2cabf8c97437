import FlowModel
import FlowPluginKit
import FlowSQLite
import FlowTestKit
import Testing

@testable import StoragePlugin

struct `Writing a store` {
  let folder: TemporaryFolder
  let host: TestHost

  init() async throws {
    folder = try TemporaryFolder()
    host = TestHost(dataFolder: folder.path, workflowFolder: folder.path)
    try folder.write(
      "CREATE TABLE Note (id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE, done INTEGER)", to: "1.sql")
    _ = try await host.call(OpenStore.self, with: ["migrations": ["1.sql"]])
  }

  private func titles() async throws -> [String] {
    let rows = try await host.call(Query.self, with: ["sql": "SELECT title FROM Note ORDER BY id"])["rows"]
    return rows?.arrayValue?.compactMap { $0.objectValue?["title"]?.stringValue } ?? []
  }

  private func code(_ inputs: ValueObject) async -> String? {
    do {
      _ = try await host.call(Execute.self, with: inputs)
      return nil
    } catch {
      return (error as? ActionError)?.code ?? "\(error)"
    }
  }

  @Test func `binds the arguments of a statement without parsing them as SQL`() async throws {
    let written = try await host.call(
      Execute.self,
      with: ["sql": "INSERT INTO Note (title, done) VALUES (?, ?)", "arguments": ["x'); DROP TABLE Note; --", true]])
    #expect(written == ["changes": 1, "repeated": false])
    #expect(try await titles() == ["x'); DROP TABLE Note; --"])
  }

  @Test func `executes all statements of a list or none`() async throws {
    let insert: Value = "INSERT INTO Note (title) VALUES (?)"
    let both = try await host.call(
      Execute.self,
      with: ["sql": [insert, insert, "UPDATE Note SET done = 1"], "arguments": [["one"], ["two"], []]])
    #expect(both["changes"] == 4)
    #expect(await code(["sql": [insert, insert], "arguments": [["three"], ["one"]]]) == "constraint-failed")
    #expect(try await titles() == ["one", "two"])
  }

  @Test func `does not write again if an earlier attempt has written`() async throws {
    let inputs: ValueObject = ["sql": "INSERT INTO Note (title) VALUES ('n' || (SELECT count(*) FROM Note))"]
    #expect(try await host.call(Execute.self, with: inputs) == ["changes": 1, "repeated": false])
    #expect(try await host.call(Execute.self, with: inputs, attempt: 2) == ["changes": 1, "repeated": true])
    #expect(try await titles() == ["n0"])
    // Each call is a new step with its own key.
    #expect(try await host.call(Execute.self, with: inputs) == ["changes": 1, "repeated": false])
    #expect(try await titles() == ["n0", "n1"])
  }

  @Test func `writes in the second attempt if the first attempt failed`() async throws {
    #expect(await code(["sql": "INSERT INTO Note (title) VALUES (NULL)"]) == "constraint-failed")
    let again: ValueObject = ["sql": "INSERT INTO Note (title) VALUES ('late')"]
    #expect(try await host.call(Execute.self, with: again, attempt: 2)["repeated"] == false)
    #expect(try await titles() == ["late"])
  }

  @Test(
    arguments: [
      ("ATTACH '%/outside.sqlite' AS other", "execute-outside"), ("/* a */ attach ':memory:' AS o", "execute-outside"),
      ("DETACH main", "execute-outside"), ("VACUUM INTO '%/outside.sqlite'", "execute-outside"),
      ("VACUUM", "execute-outside"), ("INSERT INTO Note (title) SELECT load_extension('%/x')", "execute-outside"),
      ("PRAGMA user_version = 3", "execute-refused"), ("-- a\n pragma writable_schema = 1", "execute-refused"),
      ("PRAGMA journal_mode = DELETE", "execute-refused"), ("COMMIT", "execute-refused"),
      ("SAVEPOINT a", "execute-refused"), ("; ROLLBACK", "execute-refused"),
      ("DELETE FROM Migration", "execute-refused"), ("INSERT INTO executedstep VALUES (1, 'a', 1)", "execute-refused"),
      ("DROP TABLE Migration", "execute-refused"), ("ALTER TABLE ExecutedStep RENAME TO a", "execute-refused"),
      ("CREATE TEMP TABLE Migration (a)", "execute-refused"),
      ("CREATE TEMP VIEW executedstep AS SELECT 1", "execute-refused"),
      ("CREATE TABLE KeyValue (a)", "execute-refused"), ("CREATE VIEW keyvalue AS SELECT 1", "execute-refused"),
      ("CREATE TRIGGER a AFTER INSERT ON Migration BEGIN DELETE FROM Note; END", "execute-refused"),
      ("CREATE TEMP TRIGGER a AFTER INSERT ON ExecutedStep BEGIN DELETE FROM Note; END", "execute-refused"),
      ("CREATE UNIQUE INDEX a ON ExecutedStep (changes)", "execute-refused"),
      ("UPDATE sqlite_master SET sql = ''", "execute-invalid"), ("SELECT 1", "execute-invalid"),
      ("", "execute-invalid"), ("-- nothing", "execute-invalid"), ("INSERTT", "execute-invalid"),
      ("DELETE FROM Note; DELETE FROM Note", "execute-invalid"), ("DELETE FROM Nowhere", "execute-invalid"),
      ("DELETE FROM Note WHERE id = ?", "execute-invalid"),
      ("INSERT INTO Note (title) VALUES (NULL)", "constraint-failed"),
    ])
  func `refuses statements that are invalid, damage the store or access other files`(_ sql: String, _ expected: String)
    async throws
  {
    let before = try folder.names
    #expect(await code(["sql": .string(sql.replacing("%", with: folder.path))]) == expected)
    // If the statement is in a list, the statements before it are rolled back.
    let list: Value = ["INSERT INTO Note (title) VALUES ('first')", .string(sql.replacing("%", with: folder.path))]
    #expect(await code(["sql": list]) == expected)
    #expect(try await titles() == [])
    #expect(try folder.names == before)
  }

  @Test func `refuses arguments that do not match the statements`() async {
    let sql: Value = "INSERT INTO Note (title) VALUES (?)"
    for inputs: ValueObject in [
      ["sql": sql], ["sql": sql, "arguments": ["a", "b"]], ["sql": sql, "arguments": [["a"]]],
      ["sql": [sql], "arguments": ["a"]], ["sql": [sql, sql], "arguments": [["a"]]], ["sql": 3], ["sql": []],
      ["sql": [3]],
    ] {
      #expect(await code(inputs) == "execute-invalid", "\(inputs)")
    }
  }

  @Test func `creates an index, a trigger, a view and a temporary table`() async throws {
    let made = try await host.call(
      Execute.self,
      with: [
        "sql": [
          "CREATE INDEX a ON Note (done)", "CREATE VIEW b AS SELECT title FROM Note", "CREATE TEMP TABLE c (d)",
          "CREATE TRIGGER e AFTER INSERT ON Note BEGIN UPDATE Note SET done = 2; END",
          "INSERT INTO Note (title) VALUES ('one')",
        ]
      ])
    #expect(made["changes"] == 2)
  }

  @Test func `creates and drops a table`() async throws {
    let made = try await host.call(Execute.self, with: ["sql": ["CREATE TABLE a (b)", "DROP TABLE Note"]])
    #expect(made["changes"] == 0)
    #expect(await code(["sql": "DELETE FROM Note"]) == "execute-invalid")
  }

  @Test func `reports missing, non-text and forbidden SQL before the run`() {
    #expect(Execute.check(LiteralInput(["arguments": []])).map(\.keyPath) == ["sql"])
    #expect(Execute.check(LiteralInput(["sql": "DELETE FROM Note"])).isEmpty)
    #expect(Execute.check(LiteralInput(["sql": "VACUUM INTO 'a'"])).map(\.keyPath) == ["sql"])
    #expect(Execute.check(LiteralInput(["sql": ["DELETE FROM Note", "PRAGMA x = 1"]])).map(\.keyPath) == ["sql[1]"])
    #expect(Execute.check(LiteralInput(["sql": 3])).map(\.keyPath) == ["sql"])
  }

  @Test func `records only the last 10,000 executed steps`() throws {
    let db = try SQLiteConnection(folder.file("store.sqlite"))
    let statement = Execute.Statement("UPDATE Note SET done = 0", [])
    _ = try Execute.write(db, [statement], key: "first")
    try db.execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
      INSERT INTO ExecutedStep (key, changes) SELECT 'k' || i, 0 FROM n
      """)
    #expect(try Execute.write(db, [statement], key: "first").repeated)
    _ = try Execute.write(db, [statement], key: "last")
    #expect(try db.integer("SELECT count(*) FROM ExecutedStep") == 10_000)
    #expect(try !Execute.write(db, [statement], key: "first").repeated)
    db.close()
  }
}
