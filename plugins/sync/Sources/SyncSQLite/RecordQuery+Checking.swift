import CSQLite

extension RecordQuery {
  /// What SQLite says against a statement over these tables before there are any; nil when it would run.
  public static func problem(with sql: String, over tables: [ShownTable]) -> String? {
    var opened: OpaquePointer?
    defer { sqlite3_close_v2(opened) }
    guard sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK, let handle = opened else {
      return nil
    }
    for statement in ShownTable.schema(tables) where sqlite3_exec(handle, statement, nil, nil, nil) != SQLITE_OK {
      return nil
    }
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) != SQLITE_OK else { return nil }
    return sqlite3_errmsg(handle).map { String(cString: $0) }
  }
}
