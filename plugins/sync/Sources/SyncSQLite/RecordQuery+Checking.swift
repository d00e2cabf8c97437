import FlowSQLite

extension RecordQuery {
  /// What SQLite says against a statement over these tables before there are any; nil when it would run.
  public static func problem(with sql: String, over tables: [ShownTable]) -> String? {
    guard let connection = try? SQLiteConnection(":memory:", .readWrite, takesQuotedText: true) else { return nil }
    for statement in ShownTable.schema(tables) where (try? connection.execute(statement)) == nil { return nil }
    do {
      try connection.prepare([sql])
    } catch {
      return error.kind == .misuse ? nil : error.message
    }
    return nil
  }
}
