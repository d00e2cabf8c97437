import FlowSQLite

extension RecordQuery {
  /// Returns SQLite's error message for a statement on tables that need not exist yet, or nil if the statement is valid
  /// or cannot be checked.
  package static func problem(with sql: String, over tables: [ShownTable]) -> String? {
    guard let connection = try? SQLiteConnection(":memory:", .readWrite, takesQuotedText: true) else { return nil }
    let statements = ShownTable.schema(tables) + tables.compactMap { $0.agedView(atMilliseconds: 0) }
    for statement in statements where (try? connection.execute(statement)) == nil { return nil }
    do {
      try connection.prepare([sql])
    } catch {
      return error.kind == .misuse ? nil : error.message
    }
    return nil
  }
}
