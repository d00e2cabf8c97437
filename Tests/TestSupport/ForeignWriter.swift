import FlowSQLite

/// Changes an SQLite file, such as a run store, like another program.
public enum ForeignWriter {
  /// Runs statements without reading results. Closing the file copies its log into it.
  public static func execute(_ text: String, on path: String) throws {
    let connection = try SQLiteConnection(path, .readWrite, busyMilliseconds: 10_000)
    defer { connection.close() }
    try connection.execute(text)
  }

  /// Returns the first column of a query's first row as text.
  public static func text(_ query: String, in path: String) throws -> String? {
    let connection = try SQLiteConnection(path, .readWrite, busyMilliseconds: 10_000)
    defer { connection.close() }
    return try connection.first(query) { $0.text(0) }
  }
}
