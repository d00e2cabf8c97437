import FlowPluginKit
import FlowSQLite

extension Execute {
  /// An SQL statement and the values of its parameters.
  struct Statement: Sendable {
    var sql: String
    var arguments: [SQLiteValue]

    init(_ sql: String, _ arguments: [SQLiteValue]) {
      self.sql = sql
      self.arguments = arguments
    }
  }

  /// The number of executed steps that a store records. Older steps would be executed again if they were repeated.
  private static let keptSteps = 10_000

  /// Runs the statements and records the step, both in one transaction. If the step has already been recorded, only
  /// returns its number of changes.
  static func write(_ db: SQLiteConnection, _ statements: [Statement], key: String) throws -> Output {
    let authorizer = StatementAuthorizer()
    authorizer.guardConnection(db)
    return try db.transaction {
      try db.execute(
        """
        CREATE TABLE IF NOT EXISTS ExecutedStep (
          number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, changes INTEGER NOT NULL
        ) STRICT
        """)
      if let changes = try db.integer("SELECT changes FROM ExecutedStep WHERE key = ?", [.text(key)]) {
        return Output(changes: changes, repeated: true)
      }
      let before = try total(db)
      for statement in statements { try run(statement, db, authorizer) }
      let changes = try total(db) - before
      try db.run("INSERT INTO ExecutedStep (key, changes) VALUES (?, ?)", [.text(key), .integer(changes)])
      try db.run(
        "DELETE FROM ExecutedStep WHERE number <= (SELECT max(number) FROM ExecutedStep) - \(keptSteps)")
      return Output(changes: changes, repeated: false)
    }
  }

  private static func total(_ db: SQLiteConnection) throws -> Int { try db.integer("SELECT total_changes()") ?? 0 }

  private static func run(_ statement: Statement, _ db: SQLiteConnection, _ authorizer: StatementAuthorizer) throws {
    if let refusal = StatementText.refusal(of: statement.sql) { throw denied(refusal.denial, refusal.reason) }
    authorizer.isGuarding = true
    defer { authorizer.isGuarding = false }
    do {
      try db.single(statement.sql) { prepared in
        guard !prepared.isReadOnly else { throw invalid("the statement writes nothing; read with storage.query") }
        let wanted = prepared.parameters.count
        guard wanted == statement.arguments.count else {
          throw invalid(SQLiteValue.problem(wanted: wanted, given: statement.arguments.count))
        }
        try prepared.bound(to: statement.arguments) { rows in while try rows.next() {} }
      }
    } catch let error as SQLiteConnection.NotOneStatement {
      if let denial = authorizer.denial { throw denied(denial) }
      switch error {
      case .none: throw invalid("there is no statement; write one, such as DELETE FROM Note")
      case .several: throw invalid("there is more than one statement; write a list of statements")
      }
    } catch let error as SQLiteError {
      if let denial = authorizer.denial { throw denied(denial) }
      switch error.kind {
      case .error, .schema, .range, .misuse, .tooBig: throw invalid(error.message)
      default: throw error
      }
    }
  }

  private static func denied(_ denial: StatementAuthorizer.Denial, _ reason: String? = nil) -> ActionError {
    switch denial {
    case .outside:
      ActionError(
        "execute-outside",
        "the statement is refused: \(reason ?? "it would reach outside of the store"); only the store is changed",
        isRetryable: false)
    case .refused:
      ActionError(
        "execute-refused",
        "the statement is refused: \(reason ?? "it would change how the store works, or its records")",
        isRetryable: false)
    }
  }
}
