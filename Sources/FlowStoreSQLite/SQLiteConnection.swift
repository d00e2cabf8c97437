import CSQLite
import FlowStore
import FlowSystem

/// A connection to an SQLite file, and the statements that were prepared on it.
///
/// Proof of safety: SQLite's handle is used by this object alone, which a lock of ``SQLiteRunStore`` guards; statements do
/// not leave it. `logPages` is written by SQLite within calls of this object, and lives as long as the handle.
final class SQLiteConnection {
  /// The file.
  let path: String
  private var handle: OpaquePointer?
  /// The statements that were prepared, by their text. There are some twenty at most, and most texts differ in their length:
  /// to look through them costs less than a dictionary, whose type the runtime assembles at each start.
  private var statements: [(text: String, statement: OpaquePointer)] = []
  /// How many pages the log had behind the last write; SQLite writes it while a statement of this connection runs.
  private let logPages = UnsafeMutablePointer<CInt>.allocate(capacity: 1)
  /// Whether writes have been told to wait for the disk; nil: they do as SQLite has it.
  private var isTold: Bool?
  /// Whether the disk is known to have the file, and the entries of it and its log in their folders.
  var isOnDisk = false

  static let begin = "BEGIN IMMEDIATE"
  static let commit = "COMMIT"

  /// How long a write waits for one of another process.
  private static let busyMilliseconds: CInt = 10_000

  /// Done once for the process: without it each start by root would take the log for one that another program has changed,
  /// and check the store whole.
  ///
  /// Proof of safety: SQLite reads the function's address while it opens a file. Whichever of the two it reads, the file has
  /// the right owner then.
  private static let keepsOwners: Void = flow_sqlite_keep_owner()

  /// Opens an existing file.
  init(_ path: String, readOnly: Bool) throws(StoreProblem) {
    self.path = path
    Self.keepsOwners
    logPages.initialize(to: 0)
    let flags = (readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) | SQLITE_OPEN_NOMUTEX
    let code = sqlite3_open_v2(path, &handle, flags, nil)
    guard code == SQLITE_OK else {
      let problem = problem(code)
      sqlite3_close_v2(handle)
      handle = nil
      throw problem
    }
    sqlite3_busy_timeout(handle, Self.busyMilliseconds)
    // A short run touches the store for a fifth of a millisecond because its end neither copies the log into the file nor
    // removes it.
    var persist: CInt = 1
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &persist)
    flow_sqlite_keep_log(handle)
    // In place of SQLite's own, which copies the log whenever a write has made it long.
    _ = sqlite3_wal_hook(
      handle,
      { pages, _, _, count in
        pages?.assumingMemoryBound(to: CInt.self).pointee = count
        return SQLITE_OK
      }, logPages)
  }

  deinit {
    for (_, statement) in statements { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
    logPages.deallocate()
  }

  /// Has writes from now on wait for the disk, or not.
  func wait(forDisk isWanted: Bool) throws(StoreProblem) {
    guard isTold != isWanted else { return }
    try execute("PRAGMA synchronous = \(isWanted ? "FULL" : "NORMAL")")
    isTold = isWanted
  }

  /// Whether the last write is on disk.
  var waitsForDisk: Bool { isTold == true }

  /// Runs statements that give and take nothing.
  func execute(_ text: String) throws(StoreProblem) {
    let code = sqlite3_exec(handle, text, nil, nil, nil)
    guard code == SQLITE_OK else { throw problem(code) }
  }

  /// Runs a statement and calls `row` with each row.
  func run(
    _ text: String, _ values: [SQLiteValue] = [], row: (SQLiteRow) throws(StoreProblem) -> Void = { _ in }
  ) throws(StoreProblem) {
    let statement = try prepared(text)
    defer { sqlite3_clear_bindings(statement) }
    try bind(values[...], to: statement) { () throws(StoreProblem) in
      defer { sqlite3_reset(statement) }
      while true {
        switch sqlite3_step(statement) {
        case SQLITE_ROW: try row(SQLiteRow(statement: statement))
        case SQLITE_DONE: return
        case let code: throw problem(code)
        }
      }
    }
  }

  /// Binds the values and calls `body` while they are bound: bytes stay where they are meanwhile, so that no statement makes
  /// a copy of a long journal.
  private func bind(
    _ values: ArraySlice<SQLiteValue>, to statement: OpaquePointer, while body: () throws(StoreProblem) -> Void
  ) throws(StoreProblem) {
    guard let value = values.first else { return try body() }
    let index = CInt(values.startIndex + 1)
    func bindRest(_ code: CInt) throws(StoreProblem) {
      guard code == SQLITE_OK else { throw problem(code) }
      try bind(values.dropFirst(), to: statement, while: body)
    }
    switch value {
    case .null: try bindRest(sqlite3_bind_null(statement, index))
    case .integer(let number): try bindRest(sqlite3_bind_int64(statement, index, Int64(number)))
    case .text(let text):
      // Proof of safety: -1 is `SQLITE_TRANSIENT`, which SQLite compares and never calls; the statement copies the bytes.
      let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
      try bindRest(sqlite3_bind_text(statement, index, text, CInt(text.utf8.count), copied))
    case .bytes(let bytes):
      try bytes.withUnsafeBufferPointer { (bytes) throws(StoreProblem) in
        // No destructor: the memory is nobody's to free. It stays until the statement has been reset, in `body`, and nothing
        // of a binding is read behind that.
        try bindRest(
          bytes.isEmpty
            ? sqlite3_bind_zeroblob(statement, index, 0)
            : sqlite3_bind_blob64(statement, index, bytes.baseAddress, sqlite3_uint64(bytes.count), nil))
      }
    }
  }

  /// Makes statements that are to be run soon.
  func prepare(_ texts: [String]) throws(StoreProblem) {
    for text in texts { _ = try prepared(text) }
  }

  /// Runs `body` as one change that is made whole or not at all.
  func transaction<Result>(_ body: () throws(StoreProblem) -> Result) throws(StoreProblem) -> Result {
    try run(Self.begin)
    do throws(StoreProblem) {
      let result = try body()
      try run(Self.commit)
      return result
    } catch {
      // What failed may have ended the transaction by itself.
      if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
      throw error
    }
  }

  /// Whether a column of a row holds these bytes: compared piece by piece, since what is read whole takes as much memory again.
  func holds(
    _ bytes: [UInt8], in column: String, of table: String, row: Int
  ) throws(StoreProblem) -> Bool {
    var blob: OpaquePointer?
    let code = sqlite3_blob_open(handle, "main", table, column, Int64(row), 0, &blob)
    guard code == SQLITE_OK, let blob else { throw problem(code) }
    defer { sqlite3_blob_close(blob) }
    guard Int(sqlite3_blob_bytes(blob)) == bytes.count else { return false }
    let pieceBytes = 1 << 16
    let failure = withUnsafeTemporaryAllocation(byteCount: pieceBytes, alignment: 16) { piece -> CInt? in
      for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
        let count = min(pieceBytes, bytes.count - start)
        let code = sqlite3_blob_read(blob, piece.baseAddress, CInt(count), CInt(start))
        guard code == SQLITE_OK else { return code }
        let isSame = bytes.withUnsafeBytes { whole in
          guard let own = whole.baseAddress, let read = piece.baseAddress else { return true }
          return memcmp(own + start, read, count) == 0
        }
        guard isSame else { return SQLITE_MISMATCH }
      }
      return nil
    }
    switch failure {
    case nil: return true
    case SQLITE_MISMATCH?: return false
    case let code?: throw problem(code)
    }
  }

  /// How many rows the last statement changed.
  var changes: Int { Int(sqlite3_changes(handle)) }

  /// The number of the row that was added last.
  var lastNumber: Int { Int(sqlite3_last_insert_rowid(handle)) }

  /// How many frames the log had after the last write of this connection; 0: none, or there is no log.
  var logFrames: Int { Int(logPages.pointee) }

  /// Waits until the disk has the file itself, without its log.
  func syncFile() throws(StoreProblem) {
    let code = flow_sqlite_sync(handle)
    guard code == SQLITE_OK else { throw problem(code) }
  }

  /// The first 100 bytes of the file, whatever its log says of them.
  func fileHeader() throws(StoreProblem) -> [UInt8] {
    var header = [UInt8](repeating: 0, count: 100)
    let code = header.withUnsafeMutableBytes { flow_sqlite_read(handle, $0.baseAddress, CInt($0.count)) }
    guard code == SQLITE_OK else { throw problem(code) }
    return header
  }

  /// Copies the log into the file where it has more pages than that, as far as nobody reads it, and begins it again.
  func shortenLog(over pages: Int) {
    guard logPages.pointee > pages else { return }
    var (all, copied): (CInt, CInt) = (0, 0)
    sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &all, &copied)
    // Only this connection knows what has been copied. Whoever comes next would read the log whole and go on behind it: a
    // write by this one begins it again.
    guard all > 0, all == copied else { return }
    try? execute("PRAGMA user_version = \(SQLiteRunStore.version)")
  }

  private func prepared(_ text: String) throws(StoreProblem) -> OpaquePointer {
    for known in statements where known.text == text { return known.statement }
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v2(handle, text, -1, &statement, nil)
    // Every statement fits the tables, so they are what is wrong.
    guard code != SQLITE_ERROR else {
      throw .damaged(path: path, cause: handle.map { String(cString: sqlite3_errmsg($0)) } ?? "unknown tables")
    }
    guard code == SQLITE_OK, let statement else { throw problem(code) }
    statements.append((text, statement))
    return statement
  }

  /// What a result code means.
  private func problem(_ code: CInt) -> StoreProblem {
    let cause = handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
    let reason = handle.map { sqlite3_system_errno($0) } ?? 0
    switch code & 0xFF {
    case SQLITE_IOERR where [ENOSPC, EDQUOT, EFBIG].contains(reason):
      return .unusable(path: path, cause: "the disk is full")
    case SQLITE_CORRUPT, SQLITE_NOTADB: return .damaged(path: path, cause: cause)
    case SQLITE_FULL: return .unusable(path: path, cause: "the disk is full")
    case SQLITE_BUSY: return .unusable(path: path, cause: "another process has been writing it for 10 s")
    case SQLITE_READONLY: return .unusable(path: path, cause: "it may not be written")
    default: return .unusable(path: path, cause: cause)
    }
  }
}

/// What a statement takes and gives.
enum SQLiteValue {
  case integer(Int)
  case text(String)
  case bytes([UInt8])
  case null
}

/// A row while it is looked at.
struct SQLiteRow {
  fileprivate let statement: OpaquePointer

  /// A whole number.
  func integer(_ column: CInt) -> Int { Int(sqlite3_column_int64(statement, column)) }

  /// A text; empty where there is none.
  func text(_ column: CInt) -> String {
    sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
  }

  /// Bytes; empty where there are none.
  func bytes(_ column: CInt) -> [UInt8] {
    guard let start = sqlite3_column_blob(statement, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
  }

  /// Whether there is nothing.
  func isNull(_ column: CInt) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }
}
