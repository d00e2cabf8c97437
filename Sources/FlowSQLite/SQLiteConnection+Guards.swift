import CSQLite
import FlowPlatform

/// The closures and values that SQLite uses while it prepares and runs statements of a connection.
struct SQLiteGuards {
  fileprivate var authorizer: Authorizer?
  fileprivate var deadline: UnsafeMutablePointer<ContinuousClock.Instant>?
  fileprivate var logPages: UnsafeMutablePointer<Int32>?

  /// Frees everything. It must be called only after the handle has been closed.
  mutating func removeAll() {
    authorizer = nil
    deadline?.deallocate()
    logPages?.deallocate()
    (deadline, logPages) = (nil, nil)
  }

  fileprivate final class Authorizer {
    let allows: (SQLiteAction) -> Bool
    init(_ allows: @escaping (SQLiteAction) -> Bool) { self.allows = allows }
  }
}

/// An action of a statement for which SQLite asks permission.
package enum SQLiteAction: Hashable, Sendable {
  case select
  /// Read a column. `view` is the view or trigger that reads it, or nil. `column` is empty if no column is read.
  case read(table: String, column: String, view: String?)
  case recursion
  case function(String)
  case pragma(String, argument: String?)
  /// Attach another file.
  case attach
  /// Change a row of a table.
  case update(table: String)
  /// Add a row to a table, or remove one from it.
  case insert(table: String), delete(table: String)
  /// Change a table itself, or remove it.
  case alter(table: String), drop(table: String)
  /// Create a table or view, or an index or trigger on a table.
  case create(String, on: String?)
  /// Begin or end a transaction or a savepoint.
  case transaction
  /// Any other action. All of them change something.
  case other

  fileprivate init(
    _ code: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?, _ view: UnsafePointer<CChar>?
  ) {
    func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
    self =
      switch code {
      case SQLITE_SELECT: .select
      case SQLITE_READ: .read(table: text(first), column: text(second), view: view.map { String(cString: $0) })
      case SQLITE_RECURSIVE: .recursion
      case SQLITE_FUNCTION: .function(text(second))
      case SQLITE_PRAGMA: .pragma(text(first), argument: second.map { String(cString: $0) })
      case SQLITE_ATTACH, SQLITE_DETACH: .attach
      case SQLITE_UPDATE: .update(table: text(first))
      case SQLITE_INSERT: .insert(table: text(first))
      case SQLITE_DELETE: .delete(table: text(first))
      case SQLITE_ALTER_TABLE: .alter(table: text(second))
      case SQLITE_DROP_TABLE, SQLITE_DROP_TEMP_TABLE, SQLITE_DROP_VTABLE: .drop(table: text(first))
      case SQLITE_CREATE_TABLE, SQLITE_CREATE_TEMP_TABLE, SQLITE_CREATE_VTABLE, SQLITE_CREATE_VIEW,
        SQLITE_CREATE_TEMP_VIEW:
        .create(text(first), on: nil)
      case SQLITE_CREATE_INDEX, SQLITE_CREATE_TEMP_INDEX, SQLITE_CREATE_TRIGGER, SQLITE_CREATE_TEMP_TRIGGER:
        .create(text(first), on: text(second))
      case SQLITE_TRANSACTION, SQLITE_SAVEPOINT: .transaction
      default: .other
      }
  }
}

extension SQLiteConnection {
  /// Makes SQLite call `allows` for each action of a statement when it prepares the statement. A statement with an
  /// action that is not allowed fails with ``SQLiteError/Kind/denied``.
  package func authorize(_ allows: @escaping (SQLiteAction) -> Bool) {
    guard handle != nil else { return }
    let authorizer = SQLiteGuards.Authorizer(allows)
    // Proof of safety: SQLite uses the pointer only within calls of this connection. The connection's `guards` keep the
    // last authorizer until the handle has been closed or has another one.
    let context = Unmanaged.passUnretained(authorizer).toOpaque()
    sqlite3_set_authorizer(
      handle,
      { context, code, first, second, _, view in
        guard let context else { return SQLITE_DENY }
        // Proof of safety: `context` is the pointer passed below. The connection keeps the authorizer that it points
        // to.
        let authorizer = Unmanaged<SQLiteGuards.Authorizer>.fromOpaque(context).takeUnretainedValue()
        return authorizer.allows(SQLiteAction(code, first, second, view)) ? SQLITE_OK : SQLITE_DENY
      }, context)
    guards.authorizer = authorizer
  }

  /// Makes statements fail with ``SQLiteError/Kind/interrupted`` once the deadline has passed.
  package func interrupt(after deadline: ContinuousClock.Instant) {
    guard handle != nil else { return }
    if let pointer = guards.deadline { return pointer.pointee = deadline }
    let pointer = UnsafeMutablePointer<ContinuousClock.Instant>.allocate(capacity: 1)
    pointer.initialize(to: deadline)
    guards.deadline = pointer
    // Proof of safety: SQLite calls the handler within calls of this connection, which frees the pointer after it has
    // closed the handle. SQLite checks the deadline every 10,000 instructions of its virtual machine, which is about
    // every millisecond.
    sqlite3_progress_handler(
      handle, 10_000,
      { context in
        guard let context else { return 1 }
        return ContinuousClock.now > context.assumingMemoryBound(to: ContinuousClock.Instant.self).pointee ? 1 : 0
      }, pointer)
  }
}

// MARK: The log and the main file

extension SQLiteConnection {
  /// Keeps the write-ahead log: neither a long write nor the end of the connection copies it into the main file or
  /// removes it. From now on, the pages of the log are counted.
  package func keepLog() {
    guard handle != nil else { return }
    var persist: Int32 = 1
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &persist)
    configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
    countLog()
  }

  /// Counts the length of the log from now on. SQLite no longer copies the log into the file after a long write.
  func countLog() {
    guard handle != nil else { return }
    let pages = guards.logPages ?? .allocate(capacity: 1)
    pages.initialize(to: 0)
    guards.logPages = pages
    // Proof of safety: SQLite calls the hook within calls of this connection, which frees the pointer after it has
    // closed the handle.
    _ = sqlite3_wal_hook(
      handle,
      { pages, _, _, count in
        pages?.assumingMemoryBound(to: Int32.self).pointee = count
        return SQLITE_OK
      }, pages)
  }

  /// The number of pages in the log after the last write of this connection. 0 if the log is empty or pages are not
  /// counted.
  package var logPages: Int { Int(guards.logPages?.pointee ?? 0) }

  /// Copies the log into the main file, except for pages that other connections still read. Returns the number of pages
  /// in the log if all of it was copied, otherwise 0.
  package func copyLog() -> Int {
    guard handle != nil else { return 0 }
    var (all, copied): (Int32, Int32) = (0, 0)
    let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &all, &copied)
    return code == SQLITE_OK && all > 0 && all == copied ? Int(all) : 0
  }

  /// Copies a log of at least `limit` pages. The next write then begins the log again, unless another connection still
  /// reads it.
  func copyLog(from limit: Int) {
    if logPages >= limit, copyLog() > 0 { guards.logPages?.pointee = 0 }
  }

  /// Copies the log into the main file and empties it. Returns false if that fails, for example because another
  /// connection is still reading it.
  package func emptyLog() -> Bool {
    handle != nil && sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil) == SQLITE_OK
  }

  /// Waits until the main file, without its log, is on disk.
  package func syncFile() throws(SQLiteError) {
    guard handle != nil else { throw .closed }
    let code = flow_sqlite_sync(handle)
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// Returns the first 100 bytes of the main file, ignoring the log.
  package func fileHeader() throws(SQLiteError) -> [UInt8] {
    guard handle != nil else { throw .closed }
    var header = [UInt8](repeating: 0, count: 100)
    let code = header.withUnsafeMutableBytes { flow_sqlite_read(handle, $0.baseAddress, Int32($0.count)) }
    guard code == SQLITE_OK else { throw error(code) }
    return header
  }

  /// True if a column of a row contains exactly these bytes. They are compared in pieces, because reading all of them
  /// would double the memory.
  package func has(
    _ bytes: [UInt8], in column: String, of table: String, row: Int
  ) throws(SQLiteError) -> Bool {
    guard handle != nil else { throw .closed }
    var blob: OpaquePointer?
    let code = sqlite3_blob_open(handle, "main", table, column, Int64(row), 0, &blob)
    guard code == SQLITE_OK, let blob else { throw error(code) }
    defer { sqlite3_blob_close(blob) }
    guard Int(sqlite3_blob_bytes(blob)) == bytes.count else { return false }
    let pieceBytes = 1 << 16
    var piece = [UInt8](repeating: 0, count: min(pieceBytes, bytes.count))
    for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
      let count = min(pieceBytes, bytes.count - start)
      let code = sqlite3_blob_read(blob, &piece, Int32(count), Int32(start))
      guard code == SQLITE_OK else { throw error(code) }
      guard bytes.withUnsafeBytes({ memcmp($0.baseAddress! + start, piece, count) }) == 0 else { return false }
    }
    return true
  }
}
