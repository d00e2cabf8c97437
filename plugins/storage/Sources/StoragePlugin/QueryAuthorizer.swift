import FlowSQLite

/// What SQLite may do for a statement that someone wrote into a workflow: read the store, and nothing else.
///
/// SQLite asks about each thing that a statement would do, while it compiles it and when it compiles it again. Everything is
/// denied but what is listed here, so what a later SQLite learns is denied as well. The thread of the query uses it.
final class QueryAuthorizer {
  /// Why something was denied.
  enum Denial: Sendable {
    /// The statement would change the store.
    case write
    /// The statement would reach another file, or load code.
    case outside
  }

  /// The first action that was denied, or nil.
  private(set) var denial: Denial?

  /// Makes a connection ask this authorizer about every statement.
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
    // SQLite asks so for itself when it makes a virtual table such as `pragma_table_info` known; it refuses to do it for a
    // statement, and the connection cannot write.
    case .update(table: "sqlite_master"): nil
    // These two take the address of code, or a library that holds it.
    case .function(let name): ["load_extension", "fts3_tokenizer"].contains(name.lowercased()) ? .outside : nil
    case .pragma(let name, let argument): isReading(pragma: name, argument: argument) ? nil : .write
    case .attach: .outside
    case .update, .insert, .delete, .alter, .drop, .transaction, .other: .write
    }
  }

  /// Whether a pragma only tells something: with an argument those that look up a table, an index or the whole store,
  /// without one all but those that act.
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
