import FlowSQLite

/// Restricts the writing SQL statements of a workflow to the tables of the store.
///
/// While SQLite compiles a statement, it asks about each of the statement's operations. Used only on the thread of the
/// statements.
final class StatementAuthorizer {
  /// The reason why SQLite must not compile a statement.
  enum Denial: Sendable, Hashable {
    /// The statement would access another file or load code.
    case outside
    /// The statement would change the settings or the internal records of the store.
    case refused
  }

  /// The reason for the first denial, or nil if nothing was denied.
  private(set) var denial: Denial?
  /// True while statements of the workflow are compiled. The statements of the action itself are not restricted.
  var isGuarding = false

  /// The tables with the store's internal records, which a workflow must not change.
  static let records: Set<String> = ["migration", "executedstep"]
  /// The tables whose structure a workflow must not change. It may change the rows of `keyvalue`.
  static let structures = records.union(["keyvalue"])

  /// Makes SQLite ask this authorizer about every statement of a connection.
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
    case .update(let table), .insert(let table), .delete(let table):
      records.contains(table.lowercased()) ? .refused : nil
    case .alter(let table), .drop(let table): structures.contains(table.lowercased()) ? .refused : nil
    // A temporary table would hide a table of the store, and a trigger or index would change its behavior.
    case .create(let name, let table):
      structures.contains(name.lowercased()) || structures.contains(table?.lowercased() ?? "") ? .refused : nil
    }
  }
}
