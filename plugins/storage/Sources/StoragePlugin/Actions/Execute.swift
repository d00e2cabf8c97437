import FlowModel
import FlowPluginKit
import FlowSQLite
import StorageCore

/// Runs SQL statements that write, all in one transaction. A repeated step does not write again.
struct Execute: AsyncAction, DetailedAction {
  static let name = "storage.execute"
  static let summary = "Runs SQL statements that write, all in one transaction; a step that is repeated writes once"
  static let requires: [HandleKey] = [.database]
  static let errors =
    StoreFailure.whenOpen + [
      ErrorDeclaration("execute-invalid", "A statement or its arguments are wrong; correct them", isRetryable: false),
      ErrorDeclaration(
        "execute-refused", "A statement would change how the store works, or its records; leave it out",
        isRetryable: false),
      ErrorDeclaration(
        "execute-outside", "A statement would reach another file or load code; only the store is changed",
        isRetryable: false),
      ErrorDeclaration(
        "constraint-failed", "A row breaks a rule of its table; nothing was written", isRetryable: false),
    ]
  static let example = """
    uses: storage.execute
    needs: open-store
    with:
      sql: INSERT INTO Note (title, done) VALUES (?, ?)
      arguments: [Milk, false]
    """

  struct Input: ActionInput {
    @Field("One statement, or a list of statements, as fixed texts; `?` is an argument") var sql: Value
    @Field("A value for each `?`: text, number, boolean or null; for a list of statements, one list for each")
    var arguments: [Value] = []
  }

  struct Output: ActionOutput {
    var changes: Int
    var repeated: Bool

    static let summaries = [
      "changes": "How many rows were inserted, changed or deleted, those of triggers included",
      "repeated": "Whether an earlier attempt of this step had written already; then nothing was written again",
    ]
  }

  static func check(_ input: LiteralInput) -> [InputProblem] {
    // Literal inputs do not include inputs with expressions.
    guard let sql = input["sql"] else {
      return [
        InputProblem(
          "sql", "the SQL of 'storage.execute' must be a fixed text, without an expression",
          help: "write ? in the statement and give the value in 'arguments'")
      ]
    }
    do {
      let texts = try Self.texts(sql)
      return texts.enumerated().compactMap { index, text in
        StatementText.refusal(of: text).map {
          InputProblem(sql.arrayValue == nil ? "sql" : "sql[\(index)]", "the statement is refused: \($0.reason)")
        }
      }
    } catch {
      return [InputProblem("sql", error.message)]
    }
  }

  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> Output {
    let store: Store = try context.handle(.database)
    let statements = try Self.statements(input)
    let key = context.idempotencyKey
    do {
      let queue = try store.writingQueue(
        lockTimeout: min(OpenStore.lockTimeout, context.remaining ?? OpenStore.lockTimeout))
      defer { queue.close() }
      // Cancelling the task interrupts the statement, and SQLite rolls the transaction back.
      return try await queue.perform { try Self.write($0, statements, key: key) }
    } catch let error as SQLiteError where error.kind == .constraint {
      throw ActionError("constraint-failed", "\(error.message); nothing was written", isRetryable: false)
    } catch let error as SQLiteError {
      throw StoreFailure.translate(error, path: store.path)
    }
  }

  private static func texts(_ sql: Value) throws(ActionError) -> [String] {
    switch sql {
    case .string(let text): return [text]
    case .array(let values) where !values.isEmpty:
      var texts: [String] = []
      for value in values {
        guard let text = value.stringValue else { throw invalid("a statement is a text, not \(value.kindName)") }
        texts.append(text)
      }
      return texts
    default: throw invalid("'sql' is one statement, or a list of statements")
    }
  }

  private static func statements(_ input: Input) throws -> [Statement] {
    let texts = try Self.texts(input.sql)
    guard input.sql.arrayValue != nil else { return [Statement(texts[0], try arguments(input.arguments))] }
    guard input.arguments.isEmpty || input.arguments.count == texts.count else {
      throw invalid("there are \(texts.count) statements and \(input.arguments.count) lists of arguments")
    }
    return try texts.enumerated().map { index, text in
      guard !input.arguments.isEmpty else { return Statement(text, []) }
      guard let list = input.arguments[index].arrayValue else {
        throw invalid("the arguments of each statement are a list, not \(input.arguments[index].kindName)")
      }
      return Statement(text, try arguments(list))
    }
  }

  private static func arguments(_ values: [Value]) throws -> [SQLiteValue] {
    try values.map { value in
      guard let argument = SQLiteValue(argument: value) else { throw invalid(SQLiteValue.problem(withArgument: value)) }
      return argument
    }
  }

  static func invalid(_ message: String) -> ActionError {
    ActionError("execute-invalid", message, isRetryable: false)
  }
}
