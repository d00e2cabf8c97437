import FlowModel
import FlowPluginKit
import GRDB

/// Runs one SQL statement that only reads.
struct Query: AsyncAction {
  static let name = "storage.query"
  static let summary = "Runs one SQL statement that only reads"
  static let requires: [ResourceKey] = [.database]
  static let errors =
    StoreFailure.whenOpen + [
      ErrorDeclaration("query-invalid", "The statement or its arguments are wrong; correct them", isRetryable: false),
      ErrorDeclaration(
        "query-writes", "The statement would change the store; only reading is allowed", isRetryable: false),
      ErrorDeclaration(
        "query-outside", "The statement would reach another file or load code; only the store is read",
        isRetryable: false),
    ]
  static let example = """
    uses: storage.query
    needs: open-store
    with:
      sql: SELECT countryCode, count(*) AS visits FROM TravelDestination GROUP BY 1 ORDER BY 2 DESC
      limit: 5
    """

  struct Input: ActionInput {
    @Field("One statement; `?` stands for an argument") var sql: String
    @Field("A value for each `?`: text, number, boolean or null") var arguments: [Value] = []
    @Field("The most rows to read: 1 to 1000") var limit = 1000
  }

  struct Output: ActionOutput {
    var columns: [String]
    var rows: [Value]
    var count: Int
    var truncated: Bool

    static let summaries = [
      "columns": "The names of the columns", "rows": "The rows as objects by column", "count": "How many rows",
      "truncated": "Whether there were more rows than the limit",
    ]
  }

  static func check(_ input: LiteralInput) -> [InputProblem] { PageLimit.problems(with: input) }

  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> Output {
    let store: Store = try context.resource(.database)
    let limit = try PageLimit.checked(input.limit)
    let arguments = try StatementArguments(input.arguments.map(Self.databaseValue))
    let authorizer = QueryAuthorizer()
    do {
      let connection = try store.queryConnection(authorizer)
      // The connection is closed, and asks no more, before the authorizer goes.
      defer { withExtendedLifetime(authorizer) { try? connection.close() } }
      // Cancelling the task interrupts the statement.
      return try await connection.unsafeRead { db in
        try authorizer.watching { try Self.read(db, input.sql, arguments, limit: limit) }
      }
    } catch let error as DatabaseError {
      switch authorizer.denial {
      case .outside?:
        throw ActionError(
          "query-outside", "the statement would reach outside of the store; only the store is read", isRetryable: false)
      case .write?: throw Self.writes
      case nil: break
      }
      switch error.resultCode {
      case .SQLITE_ERROR, .SQLITE_RANGE, .SQLITE_MISUSE, .SQLITE_TOOBIG:
        throw ActionError("query-invalid", error.message ?? "the statement is wrong", isRetryable: false)
      default: throw StoreFailure.translate(error, path: store.path)
      }
    }
  }

  private static let writes = ActionError(
    "query-writes", "the statement would change the store; only reading is allowed", isRetryable: false)

  private static func read(
    _ db: Database, _ sql: String, _ arguments: StatementArguments, limit: Int
  ) throws -> Output {
    let statements = try db.allStatements(sql: sql)
    guard let statement = try statements.next() else {
      throw ActionError("query-invalid", "there is no statement; write one, such as SELECT 1", isRetryable: false)
    }
    guard statement.isReadonly else { throw writes }
    if try statements.next() != nil {
      throw ActionError("query-invalid", "there is more than one statement; write one a step", isRetryable: false)
    }
    try statement.setArguments(arguments)
    let cursor = try Row.fetchCursor(statement)
    var rows: [Value] = []
    var isTruncated = false
    while let row = try cursor.next() {
      if rows.count == limit {
        isTruncated = true
        break
      }
      rows.append(.object(ValueObject(row)))
    }
    return Output(columns: statement.columnNames, rows: rows, count: rows.count, truncated: isTruncated)
  }

  private static func databaseValue(_ value: Value) throws -> (any DatabaseValueConvertible)? {
    switch value {
    case .null: return nil
    case .boolean(let boolean): return boolean
    case .integer(let integer): return integer
    case .number(let number): return number
    case .string(let text): return text
    case .array, .object:
      throw ActionError(
        "query-invalid", "an argument is text, a number, a boolean or null, not \(value.kindName); use toJSON for it",
        isRetryable: false)
    }
  }
}
