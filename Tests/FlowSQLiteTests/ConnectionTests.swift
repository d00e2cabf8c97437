import FlowSQLite
import Testing

struct `An SQLite connection` {
  private let db: SQLiteConnection

  init() throws {
    db = try SQLiteConnection(":memory:")
    try db.execute(
      "CREATE TABLE t (a); CREATE TABLE child (t REFERENCES parent (id)); CREATE TABLE parent (id PRIMARY KEY)")
  }

  private func kind(_ body: () throws -> Void) -> SQLiteError.Kind? {
    do {
      try body()
      return nil
    } catch {
      return (error as? SQLiteError)?.kind
    }
  }

  @Test(arguments: [
    SQLiteValue.null, .integer(Int64.min), .integer(Int64.max), .number(1.5), .number(-0.0), .text(""),
    .text("é\u{0}x"),
    .bytes([]), .bytes([0, 255]),
  ])
  func `a value stored in SQLite is returned with the same type`(_ value: SQLiteValue) throws {
    try db.run("INSERT INTO t VALUES (?)", [value])
    #expect(try db.all("SELECT a FROM t") { $0.value(0) } == [value])
    #expect(try db.all("SELECT ?1", [value]) { $0.value(0) } == [value])
  }

  @Test func `values are converted to the requested type according to SQLite's rules`() throws {
    let row = try db.first("SELECT NULL, '12x', 3.9, x'41', 7") { row in
      (0..<5).map { "\(row.integer($0)) \(row.text($0)) \(row.bytes($0)) \(row.isNull($0))" }
    }
    #expect(
      row == [
        "0  [] true", "12 12x [49, 50, 120] false", "3 3.9 [51, 46, 57] false", "0 A [65] false", "7 7 [55] false",
      ])
  }

  @Test func `a statement keeps its row while the same statement runs inside its loop`() throws {
    try db.execute("INSERT INTO t VALUES (1), (2), (3)")
    let pairs = try db.all("SELECT a FROM t") { outer in
      let outer = outer.integer(0)
      return try db.all("SELECT a FROM t") { outer * 10 + $0.integer(0) }
    }
    #expect(pairs == [[11, 12, 13], [21, 22, 23], [31, 32, 33]])
  }

  @Test func `a statement keeps its parameters while many others run before its first row`() throws {
    let found = try db.query("SELECT ?", [.integer(7)]) { outer in
      #expect(try db.integer("SELECT ?", [.integer(8)]) == 8)
      for number in 0..<300 { #expect(try db.integer("SELECT \(number)") == number) }
      return try outer.next() ? outer.integer(0) : nil
    }
    #expect(found == 7)
  }

  @Test func `a statement can run again even if not all of its rows were read`() throws {
    try db.execute("INSERT INTO t VALUES (1), (2)")
    for _ in 0..<3 { #expect(try db.first("SELECT a FROM t") { $0.integer(0) } == 1) }
    struct Stop: Error {}
    #expect(throws: Stop.self) { try db.all("SELECT a FROM t") { _ in throw Stop() } }
    #expect(try db.all("SELECT a FROM t") { $0.integer(0) } == [1, 2])
  }

  @Test func `an SQLite connection runs more statements than its cache can hold`() throws {
    for number in 0..<500 { #expect(try db.integer("SELECT \(number)") == number) }
    #expect(try db.integer("SELECT 0") == 0)
  }

  @Test func `an SQLite transaction is committed completely or not at all`() throws {
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try db.transaction {
        try db.run("INSERT INTO t VALUES (1)")
        throw Stop()
      }
    }
    #expect(!db.isInTransaction)
    #expect(try db.integer("SELECT count(*) FROM t") == 0)
    #expect(kind { try db.transaction { try db.run("INSERT INTO child VALUES (1)") } } == .constraint)
    try db.transaction { try db.run("INSERT INTO t VALUES (1)") }
    #expect(try db.integer("SELECT count(*) FROM t") == 1)
    #expect(db.changes == 1 && db.lastRow == 1)
  }

  @Test func `errors thrown by an SQLite connection have SQLite's code and message`() {
    let error = #expect(throws: SQLiteError.self) { try db.run("SELECT * FROM nowhere") }
    #expect(error?.description == "SQLite 1: no such table: nowhere")
    #expect(kind { try db.run("SELECT \"nowhere\"") } == .error)
    #expect(kind { try db.run("SELECT ?", []) } == .range)
    #expect(kind { try db.run("SELECT 1", [.null]) } == .range)
    #expect(kind { try db.run("") } == .misuse)
  }

  @Test(arguments: [
    ("", "none"), (" -- a comment", "none"), ("SELECT 1", "1"), ("SELECT 1 ; -- a comment", "1"),
    ("SELECT 1;; /* two */ ;", "1"), ("SELECT 1; SELECT 2", "several"), ("SELECT 1; SELEKT 2", "several"),
  ])
  func `SQL text is refused if it has no statement or several statements`(_ text: String, _ expected: String) throws {
    do {
      let found = try db.single(text) { statement in
        try statement.bound(to: []) { try $0.next() ? $0.text(0) : "" }
      }
      #expect(found == expected)
    } catch SQLiteConnection.NotOneStatement.none {
      #expect(expected == "none")
    } catch SQLiteConnection.NotOneStatement.several {
      #expect(expected == "several")
    }
  }

  @Test func `the authorizer allows or denies every action, even in a statement that was prepared earlier`() throws {
    try db.run("INSERT INTO t VALUES (1)")
    var asked: [SQLiteAction] = []
    db.authorize { action in
      asked.append(action)
      return action != .insert(table: "t") && action != .function("random")
    }
    #expect(try db.integer("SELECT a FROM t") == 1)
    #expect(asked == [.select, .read(table: "t", column: "a", view: nil)])
    #expect(kind { try db.run("INSERT INTO t VALUES (1)") } == .denied)
    let error = #expect(throws: SQLiteError.self) { try db.run("SELECT random()") }
    #expect(error?.message == "not authorized to use function: random")
  }

  @Test func `a statement is interrupted after its deadline, and later statements run`() throws {
    db.interrupt(after: .now - .seconds(1))
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    #expect(kind { try db.run(endless) } == .interrupted)
    db.interrupt(after: .now + .seconds(60))
    #expect(try db.integer("SELECT 1") == 1)
  }

  @Test func `each migration of an SQLite file is applied once, and a newer file is rejected`() throws {
    let steps = ["CREATE TABLE m (a)", "INSERT INTO m VALUES (1); INSERT INTO m VALUES (2)"]
    try db.migrate([steps[0]])
    for _ in 0..<2 { try db.migrate(steps) }
    #expect(try db.integer("SELECT count(*) FROM m") == 2)
    #expect(throws: SQLiteConnection.NewerFormat.self) { try db.migrate([steps[0]]) }
    #expect(kind { try db.migrate(steps + ["INSERT INTO m VALUES (3); INSERT INTO nowhere VALUES (1)"]) } == .error)
    #expect(try db.integer("SELECT count(*) FROM m") == 2)
  }

  @Test func `a closed SQLite connection throws an error`() {
    db.close()
    db.close()
    let error = #expect(throws: SQLiteError.self) { try db.execute("SELECT 1") }
    #expect(error?.message == "the file has been closed")
    #expect(kind { try db.run("SELECT 1") } == .misuse)
    #expect(!db.isInTransaction)
  }
}
