import FlowModel
import FlowPluginKit
import FlowSQLite
import StorageCore

/// Runs one SQL statement that only reads.
struct Query: AsyncAction, DetailedAction {
  static let name = "storage.query"
  static let summary = "Runs one SQL statement that only reads"
  static let requires: [HandleKey] = [.database]
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
      sql: SELECT title FROM Note WHERE done = ? ORDER BY title
      arguments: [false]
      limit: 5
    """

  struct Input: ActionInput {
    @Field("One statement; `?` is an argument") var sql: String
    @Field("A value for each `?`: text, number, boolean or null") var arguments: [Value] = []
    @Field("The maximum number of rows to read: 1 to 1000") var limit = 1000
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
    let store: Store = try context.handle(.database)
    let limit = try PageLimit.checked(input.limit)
    let arguments = try input.arguments.map(Self.argument)
    do {
      let queue = try store.queryQueue()
      defer { queue.close() }
      // Cancelling the task interrupts the statement, so that a long query ends at once.
      return try await queue.perform { try Self.read($0, input.sql, arguments, limit: limit) }
    } catch let error as SQLiteError {
      throw StoreFailure.translate(error, path: store.path)
    }
  }

  private static func read(
    _ db: SQLiteConnection, _ sql: String, _ arguments: [SQLiteValue], limit: Int
  ) throws -> Output {
    let authorizer = QueryAuthorizer()
    authorizer.guardConnection(db)
    do {
      return try db.single(sql) { statement in
        guard statement.isReadOnly else { throw writes }
        let wanted = statement.parameters.count
        guard wanted == arguments.count else {
          throw invalid(SQLiteValue.problem(wanted: wanted, given: arguments.count))
        }
        return try rows(of: statement, arguments, limit: limit)
      }
    } catch let error as SQLiteConnection.NotOneStatement {
      if let denied = denied(authorizer) { throw denied }
      switch error {
      case .none: throw invalid("there is no statement; write one, such as SELECT 1")
      case .several: throw invalid("there is more than one statement; write one per step")
      }
    } catch let error as SQLiteError {
      if let denied = denied(authorizer) { throw denied }
      switch error.kind {
      case .error, .schema, .range, .misuse, .tooBig: throw invalid(error.message)
      default: throw error
      }
    }
  }

  private static func rows(
    of statement: borrowing SQLiteStatement, _ arguments: [SQLiteValue], limit: Int
  ) throws -> Output {
    let columns = statement.columns
    var rows: [Value] = []
    var isTruncated = false
    try statement.bound(to: arguments) { statement in
      while try !isTruncated && statement.next() {
        if rows.count == limit { isTruncated = true } else { rows.append(.object(ValueObject(statement, columns))) }
      }
    }
    return Output(columns: columns, rows: rows, count: rows.count, truncated: isTruncated)
  }

  /// Returns the error if the authorizer denied the statement, or nil.
  private static func denied(_ authorizer: QueryAuthorizer) -> ActionError? {
    switch authorizer.denial {
    case .outside?:
      ActionError(
        "query-outside", "the statement would reach outside of the store; only the store is read", isRetryable: false)
    case .write?: writes
    case nil: nil
    }
  }

  private static let writes = ActionError(
    "query-writes", "the statement would change the store; only reading is allowed", isRetryable: false)

  private static func invalid(_ message: String) -> ActionError {
    ActionError("query-invalid", message, isRetryable: false)
  }

  private static func argument(_ value: Value) throws -> SQLiteValue {
    guard let argument = SQLiteValue(argument: value) else { throw invalid(SQLiteValue.problem(withArgument: value)) }
    return argument
  }
}
