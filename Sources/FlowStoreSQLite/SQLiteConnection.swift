import FlowSQLite
import FlowStore
import FlowPlatform

typealias SQLiteValue = FlowSQLite.SQLiteValue
typealias SQLiteRow = FlowSQLite.SQLiteStatement

/// A connection to the file of a run store, whose errors are problems of the store.
final class SQLiteConnection {
  private let base: FlowSQLite.SQLiteConnection
  /// Whether writes have been asked to wait for the disk; nil: they do as SQLite has it.
  private var isTold: Bool?
  /// Whether it may not change the file.
  let isReadOnly: Bool
  /// Whether the disk is known to have the file, and the entries of it and its log in their folders.
  var isOnDisk = false
  /// Whether this connection has copied the log and begun it again since that was last noted.
  var hasRestartedLog = false

  static let begin = FlowSQLite.SQLiteConnection.begin
  static let commit = FlowSQLite.SQLiteConnection.commit

  /// How long a write waits for one of another process.
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
    // The store copies the log itself, when the last process releases it: SQLite would wait for the disk.
    base.keepLog()
  }

  /// The file.
  var path: String { base.path }

  /// Has writes from now on wait for the disk, or not.
  func wait(forDisk isWanted: Bool) throws(StoreProblem) {
    guard isTold != isWanted else { return }
    try execute("PRAGMA synchronous = \(isWanted ? "FULL" : "NORMAL")")
    isTold = isWanted
  }

  /// Whether the last write is on disk.
  var waitsForDisk: Bool { isTold == true }

  /// Runs statements that give and take nothing.
  func execute(_ text: String) throws(StoreProblem) { try translating { try base.execute(text) } }

  /// Runs a statement and calls `row` with each row.
  func run(
    _ text: String, _ values: [SQLiteValue] = [],
    row: (borrowing SQLiteRow) throws(StoreProblem) -> Void = { (_: borrowing SQLiteRow) in }
  ) throws(StoreProblem) {
    try prepare([text])
    try translating { try base.query(text, values) { rows in while try rows.next() { try row(rows) } } }
  }

  /// Makes statements that should be run soon.
  func prepare(_ texts: [String]) throws(StoreProblem) {
    do throws(SQLiteError) {
      try base.prepare(texts)
    } catch {
      // Every statement fits the tables, so they are what is wrong.
      throw error.kind == .error ? .damaged(path: path, cause: error.message) : Self.problem(error, path)
    }
  }

  /// Runs `body` as one change that is made whole or not at all.
  func transaction<Result>(_ body: () throws(StoreProblem) -> Result) throws(StoreProblem) -> Result {
    try translating { try base.transaction(body) }
  }

  /// Whether a column of a row holds these bytes.
  func holds(_ bytes: [UInt8], in column: String, of table: String, row: Int) throws(StoreProblem) -> Bool {
    try translating { try base.has(bytes, in: column, of: table, row: row) }
  }

  /// The number of rows that the last statement changed.
  var changes: Int { base.changes }

  /// The number of the row that was added last.
  var lastNumber: Int { base.lastRow }

  /// The number of frames that the log had after the last write of this connection; 0: none, or there is no log.
  var logFrames: Int { base.logPages }

  /// Waits until the disk has the file itself, without its log.
  func syncFile() throws(StoreProblem) { try translating { try base.syncFile() } }

  /// The first 100 bytes of the file, whatever its log says of them.
  func fileHeader() throws(StoreProblem) -> [UInt8] { try translating { try base.fileHeader() } }

  /// Copies the log into the file where it has more pages than that, as far as nothing reads it, and begins it again.
  func shortenLog(over pages: Int) {
    // Only this connection knows what has been copied. Anyone who comes next would read the log whole and continue behind
    // it: a write by this one begins it again.
    guard base.logPages > pages, base.copyLog() > 0 else { return }
    hasRestartedLog = (try? execute("PRAGMA user_version = \(SQLiteRunStore.version)")) != nil
  }

  /// Copies the log into the file without waiting for the disk. Returns the number of pages in the log if all of it was copied,
  /// otherwise 0.
  func copyLogUnflushed() -> Int {
    guard (try? execute("PRAGMA synchronous = OFF")) != nil else { return 0 }
    isTold = nil
    return base.copyLog()
  }

  /// Copies the log into the file, which the disk then has, and empties it, unless another process reads it for 10 s.
  func emptyLog() {
    if base.emptyLog() { hasRestartedLog = true }
  }

  /// Closes the file; nothing can be done with the connection after that.
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

  /// What an error means.
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
