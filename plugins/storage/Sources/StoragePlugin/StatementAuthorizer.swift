import FlowSQLite

/// What SQLite may do for statements of a workflow that write: change the tables of the store, and nothing outside of it.
///
/// SQLite asks while it compiles a statement. The thread of the statements uses it.
final class StatementAuthorizer {
  /// Why something was denied.
  enum Denial: Sendable, Hashable {
    /// The statement would reach another file, or load code.
    case outside
    /// The statement would change how the store works, or its records.
    case refused
  }

  /// The first action that was denied, or nil.
  private(set) var denial: Denial?
  /// Whether statements of the workflow are compiled; the action's own are allowed everything.
  var isGuarding = false

  /// The tables in which the store records what was done.
  static let records: Set<String> = ["migration", "executedstep"]

  /// Makes a connection ask this authorizer about every statement.
  func guardConnection(_ connection: SQLiteConnection) {
    connection.authorize { [self] action in
      guard isGuarding, let found = Self.denial(action) else { return true }
      if denial == nil { denial = found }
      return false
    }
  }

  private static func denial(_ action: SQLiteAction) -> Denial? {
    switch action {
    case .select, .read, .recursion, .other: nil
    case .function(let name): ["load_extension", "fts3_tokenizer"].contains(name.lowercased()) ? .outside : nil
    case .attach: .outside
    case .pragma, .transaction: .refused
    case .update(let table), .insert(let table), .delete(let table), .alter(let table), .drop(let table):
      records.contains(table.lowercased()) ? .refused : nil
    }
  }
}
