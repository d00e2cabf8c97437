import FlowSQLite

/// Changes SQLite files, such as run stores, as another program would.
public enum ForeignWriter {
  /// Runs statements and discards their results. Closing the file copies the write-ahead log into it.
  public static func execute(_ text: String, on path: String) throws {
    let connection = try SQLiteConnection(path, .readWrite, busyMilliseconds: 10_000)
    defer { connection.close() }
    try connection.execute(text)
  }

  /// Returns the first column of a query's first row as text, or nil if there is no row.
  public static func text(_ query: String, in path: String) throws -> String? {
    let connection = try SQLiteConnection(path, .readWrite, busyMilliseconds: 10_000)
    defer { connection.close() }
    return try connection.first(query) { $0.text(0) }
  }
}
