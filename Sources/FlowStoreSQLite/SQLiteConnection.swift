import FlowSQLite
import FlowStore
import FlowPlatform

typealias SQLiteValue = FlowSQLite.SQLiteValue
typealias SQLiteRow = FlowSQLite.SQLiteStatement

/// A connection to the file of a run store. It throws the errors of a store.
final class SQLiteConnection {
  private let base: FlowSQLite.SQLiteConnection
  /// The setting that this connection has made: true if writes wait for the disk, false if not. Nil before the first
  /// setting and after ``copyLogUnflushed()``.
  private var isTold: Bool?
  let isReadOnly: Bool
  /// True if it is known that the file, its log and their folder entries are on disk.
  var isOnDisk = false
  /// True if this connection has copied and restarted the log, and this has not been recorded.
  var hasRestartedLog = false

  static let begin = FlowSQLite.SQLiteConnection.begin
  static let commit = FlowSQLite.SQLiteConnection.commit

  /// The maximum time, in milliseconds, for which a write waits for a write of another process.
  private static let busyMilliseconds = 10_000

  /// Opens an existing file.
  init(_ path: String, readOnly: Bool) throws(StoreProblem) {
    isReadOnly = readOnly
    do throws(SQLiteError) {
      base = try FlowSQLite.SQLiteConnection(
        path, readOnly ? .readOnly : .readWrite, busyMilliseconds: Self.busyMilliseconds)
    } catch {
      throw Self.problem(error, path)
    }
    // The store copies the log itself when the last process releases the store, because SQLite would wait for the disk.
    base.keepLog()
  }

  var path: String { base.path }

  /// Determines whether writes wait for the disk.
  func wait(forDisk isWanted: Bool) throws(StoreProblem) {
    guard isTold != isWanted else { return }
    try execute("PRAGMA synchronous = \(isWanted ? "FULL" : "NORMAL")")
    isTold = isWanted
  }

  /// True if writes wait for the disk.
  var waitsForDisk: Bool { isTold == true }

  /// Runs statements that have no parameters and return no rows.
  func execute(_ text: String) throws(StoreProblem) { try translating { try base.execute(text) } }

  /// Runs a statement and calls `row` with each row.
  func run(
    _ text: String, _ values: [SQLiteValue] = [],
    row: (borrowing SQLiteRow) throws(StoreProblem) -> Void = { (_: borrowing SQLiteRow) in }
  ) throws(StoreProblem) {
    try prepare([text])
    try translating { try base.query(text, values) { rows in while try rows.next() { try row(rows) } } }
  }

  /// Prepares statements that will be run soon.
  func prepare(_ texts: [String]) throws(StoreProblem) {
    do throws(SQLiteError) {
      try base.prepare(texts)
    } catch {
      // The statements are correct for the tables of a store, so the tables must be damaged.
      throw error.kind == .error ? .damaged(path: path, cause: error.message) : Self.problem(error, path)
    }
  }

  /// Runs `body` in a transaction.
  func transaction<Result>(_ body: () throws(StoreProblem) -> Result) throws(StoreProblem) -> Result {
    try translating { try base.transaction(body) }
  }

  /// True if the column of a row contains exactly these bytes.
  func holds(_ bytes: [UInt8], in column: String, of table: String, row: Int) throws(StoreProblem) -> Bool {
    try translating { try base.has(bytes, in: column, of: table, row: row) }
  }

  /// The number of rows that the last `INSERT`, `UPDATE` or `DELETE` changed, or 0 if the connection is closed.
  var changes: Int { base.changes }

  /// The rowid of the last inserted row, or 0 if the connection is closed.
  var lastNumber: Int { base.lastRow }

  /// The number of frames in the log after the last write of this connection, or 0 if there are none.
  var logFrames: Int { base.logPages }

  /// Waits until the main file, without its log, is on disk.
  func syncFile() throws(StoreProblem) { try translating { try base.syncFile() } }

  /// Returns the first 100 bytes of the main file, ignoring the log.
  func fileHeader() throws(StoreProblem) -> [UInt8] { try translating { try base.fileHeader() } }

  /// If the log has more than `pages` pages, copies it into the main file and restarts it. Pages that other processes
  /// still read are not copied.
  func shortenLog(over pages: Int) {
    // The main file does not record that its log has been copied. The next process would read the whole log and append
    // to it, so this connection makes a write that restarts the log.
    guard base.logPages > pages, base.copyLog() > 0 else { return }
    hasRestartedLog = (try? execute("PRAGMA user_version = \(SQLiteRunStore.version)")) != nil
  }

  /// Copies the log into the main file without waiting for the disk. Returns the number of pages in the log, or 0 if
  /// some of them were not copied.
  func copyLogUnflushed() -> Int {
    guard (try? execute("PRAGMA synchronous = OFF")) != nil else { return 0 }
    isTold = nil
    return base.copyLog()
  }

  /// Copies the log into the main file, waits for the disk, and empties the log. Does nothing if another process reads
  /// the log for 10 s.
  func emptyLog() {
    if base.emptyLog() { hasRestartedLog = true }
  }

  /// Closes the file. The connection cannot be used afterwards.
  func close() { base.close() }

  private func translating<Result>(_ body: () throws -> Result) throws(StoreProblem) -> Result {
    do {
      return try body()
    } catch let problem as StoreProblem {
      throw problem
    } catch let error as SQLiteError {
      throw Self.problem(error, path)
    } catch {
      throw .unusable(path: path, cause: "\(error)")
    }
  }

  /// Returns the store's error for an error of SQLite.
  private static func problem(_ error: SQLiteError, _ path: String) -> StoreProblem {
    switch error.kind {
    case .inputOutput where [ENOSPC, EDQUOT, EFBIG].contains(error.systemError):
      .unusable(path: path, cause: "the disk is full")
    case .corrupt, .notADatabase: .damaged(path: path, cause: error.message)
    case .full: .unusable(path: path, cause: "the disk is full")
    case .busy: .unusable(path: path, cause: "another process has been writing it for 10 s")
    case .readOnly: .unusable(path: path, cause: "it may not be written")
    default: .unusable(path: path, cause: error.message)
    }
  }
}
