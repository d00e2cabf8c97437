import FlowSQLite

/// Keeps the workflow's migrations from ending the transaction in which they are applied, from accessing other files,
/// and from changing the store's own records and the settings that protect it.
///
/// While SQLite compiles a statement, it asks about each of the statement's operations. Used only on the thread that
/// applies the migrations.
final class MigrationGuard {
  /// The reason for the first denial, or nil if nothing was denied.
  private(set) var denial: String?
  /// True while statements of the workflow are compiled; the store's own statements are not restricted.
  var isGuarding = false

  /// The tables with the store's own records.
  private static let records: Set<String> = ["migration", "executedstep"]
  /// The settings that identify a store or allow statements to damage it.
  private static let settings: Set<String> = ["application_id", "writable_schema"]

  /// Makes a connection ask this guard about every statement.
  func guardConnection(_ connection: SQLiteConnection) {
    connection.authorize { [self] action in
      guard isGuarding, let reason = Self.denial(action) else { return true }
      if denial == nil { denial = reason }
      return false
    }
  }

  private static func denial(_ action: SQLiteAction) -> String? {
    switch action {
    case .transaction: "all migrations are applied in one transaction, which this one would begin or end"
    case .attach: "it would change another file"
    case .update(let table), .insert(let table), .delete(let table), .alter(let table), .drop(let table):
      denial(of: table)
    case .create(let name, let table): denial(of: name) ?? table.flatMap(denial)
    case .pragma(let name, let argument):
      argument != nil && settings.contains(name.lowercased()) ? "it would change the setting '\(name)'" : nil
    case .select, .read, .recursion, .function, .other: nil
    }
  }

  private static func denial(of table: String) -> String? {
    records.contains(table.lowercased()) ? "it would change the store's own table '\(table)'" : nil
  }
}
