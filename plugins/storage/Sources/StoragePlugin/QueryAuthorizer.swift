import FlowSQLite

/// Restricts the SQL queries of a workflow to reading the store.
///
/// While SQLite compiles a statement, it asks about each of the statement's operations. Every operation that is not
/// listed here is denied, including those of later SQLite versions. Used only on the thread of the query.
final class QueryAuthorizer {
  /// The reason why SQLite must not compile a statement.
  enum Denial: Sendable {
    /// The statement would change the store.
    case write
    /// The statement would access another file or load code.
    case outside
  }

  /// The reason for the first denial, or nil if nothing was denied.
  private(set) var denial: Denial?

  /// Makes SQLite ask this authorizer about every statement of a connection.
  func guardConnection(_ connection: SQLiteConnection) {
    connection.authorize { [self] action in
      guard let found = Self.denial(action) else { return true }
      if denial == nil { denial = found }
      return false
    }
  }

  private static func denial(_ action: SQLiteAction) -> Denial? {
    switch action {
    case .select, .read, .recursion: nil
    // SQLite asks this internally when it registers a virtual table such as `pragma_table_info`. In a statement, SQLite
    // itself refuses the update, and the connection cannot write.
    case .update(table: "sqlite_master"): nil
    // These functions accept the address of code, or a library that contains code.
    case .function(let name): ["load_extension", "fts3_tokenizer"].contains(name.lowercased()) ? .outside : nil
    case .pragma(let name, let argument): isReading(pragma: name, argument: argument) ? nil : .write
    case .attach: .outside
    case .update, .insert, .delete, .alter, .drop, .create, .transaction, .other: .write
    }
  }

  /// True if a pragma only reads. With an argument, these are the pragmas that inspect a table, an index or the store.
  /// Without one, these are all pragmas that do not perform an action.
  private static func isReading(pragma: String, argument: String?) -> Bool {
    let pragma = pragma.lowercased()
    guard argument == nil else { return lookUps.contains(pragma) }
    return !["incremental_vacuum", "optimize", "shrink_memory", "wal_checkpoint"].contains(pragma)
  }

  private static let lookUps: Set<String> = [
    "foreign_key_check", "foreign_key_list", "index_info", "index_list", "index_xinfo", "integrity_check",
    "quick_check", "table_info", "table_list", "table_xinfo",
  ]
}
