import CSQLite

/// A connection to an SQLite file, with a cache of prepared statements. Only one thread may use it at a time.
///
/// Foreign keys are enforced. A name in double quotes is never read as a string unless the connection was opened with
/// `takesQuotedText`.
package final class SQLiteConnection {
  package let path: String
  private(set) var handle: OpaquePointer?
  /// The prepared statements and their texts. Most texts differ in length, so a linear search is cheaper than a
  /// dictionary, whose type the runtime would have to create in each process.
  private var statements: [(text: String, handle: OpaquePointer)] = []
  /// The cached statements that a closure is using. They must not be used elsewhere or freed until the closure returns.
  private var lent: [OpaquePointer] = []
  /// The flag that cancels the statements of the current caller, or nil if they cannot be cancelled.
  var cancellation: SQLiteCancellation?
  /// The closures and values that SQLite accesses through pointers while statements run. They live as long as the
  /// handle.
  var guards = SQLiteGuards()

  /// The kinds of access to a file that a connection can have.
  package enum Access: Sendable {
    /// Reads an existing file.
    case readOnly
    /// Reads and writes an existing file, and does not create one.
    case readWrite
    /// Reads and writes a file, and creates it if it is missing.
    case create

    fileprivate var flags: Int32 {
      switch self {
      case .readOnly: SQLITE_OPEN_READONLY
      case .readWrite: SQLITE_OPEN_READWRITE
      case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      }
    }
  }

  /// The maximum number of statements in the cache.
  private static let cachedStatements = 100

  /// Configures SQLite once per process. By default, SQLite sets the owner of a log each time root opens it, which
  /// changes the log's time of change. The run store would then assume that another program has changed the log, and
  /// check all of it.
  ///
  /// Proof of safety: SQLite reads the function's address while it opens a file. Whichever of the two it reads, the
  /// file has the right owner afterwards.
  private static let keepsOwners: Void = flow_sqlite_keep_owner()

  /// Opens a file, or a database in memory if the path is `:memory:`. A statement waits up to `busyMilliseconds` for
  /// other connections.
  ///
  /// A damaged file, or one of another kind, is detected only by the first statement that reads it.
  package init(
    _ path: String, _ access: Access = .create, busyMilliseconds: Int = 0, takesQuotedText: Bool = false
  ) throws(SQLiteError) {
    self.path = path
    Self.keepsOwners
    // SQLite needs no lock, because only one thread uses a connection at a time.
    let code = sqlite3_open_v2(path, &handle, access.flags | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK else {
      let error = SQLiteError(code, on: handle)
      sqlite3_close_v2(handle)
      handle = nil
      throw error
    }
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, Int32(clamping: busyMilliseconds))
    configure(SQLITE_DBCONFIG_ENABLE_FKEY, true)
    for option in [SQLITE_DBCONFIG_DQS_DDL, SQLITE_DBCONFIG_DQS_DML] { configure(option, takesQuotedText) }
  }

  deinit { close() }

  /// Closes the file. The connection cannot be used afterwards. It must not be called while a statement is in use.
  package func close() {
    precondition(lent.isEmpty, "a statement of '\(path)' is still in use")
    for statement in statements { sqlite3_finalize(statement.handle) }
    statements = []
    sqlite3_close_v2(handle)
    handle = nil
    guards.removeAll()
  }

  func configure(_ option: Int32, _ isOn: Bool) { _ = flow_sqlite_configure(handle, option, isOn ? 1 : 0) }

  func error(_ code: Int32) -> SQLiteError { SQLiteError(code, on: handle) }

  // MARK: Statements

  /// Runs statements without parameters, separated by semicolons, and ignores their rows.
  package func execute(_ text: String) throws {
    try checkUse()
    let code = sqlite3_exec(handle, text, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// Runs a statement and ignores its rows.
  package func run(_ text: String, _ values: [SQLiteValue] = []) throws {
    try query(text, values) { rows in while try rows.next() {} }
  }

  /// Runs a statement and passes it to `body`, which reads its rows. The prepared statement is cached.
  package func query<Result>(
    _ text: String, _ values: [SQLiteValue] = [], _ body: (borrowing SQLiteStatement) throws -> Result
  ) throws -> Result {
    try checkUse()
    let handle = try cached(text)
    // The statement is in use further up the stack and must keep its values and its row, so prepare it a second time.
    if lent.contains(handle) { return try single(text) { try $0.bound(to: values, body) } }
    lent.append(handle)
    defer { lent.removeLast() }
    return try SQLiteStatement(handle).bound(to: values, body)
  }

  /// Returns the result of `read` for the first row, or nil if there is none.
  package func first<Result>(
    _ text: String, _ values: [SQLiteValue] = [], _ read: (borrowing SQLiteStatement) throws -> Result
  ) throws -> Result? {
    try query(text, values) { rows in try rows.next() ? try read(rows) : nil }
  }

  /// Returns the results of `read` for all rows.
  package func all<Result>(
    _ text: String, _ values: [SQLiteValue] = [], _ read: (borrowing SQLiteStatement) throws -> Result
  ) throws -> [Result] {
    try query(text, values) { rows in
      var results: [Result] = []
      while try rows.next() { results.append(try read(rows)) }
      return results
    }
  }

  /// Returns the integer in the first column of the first row, or nil if there is no row or the column is null.
  package func integer(_ text: String, _ values: [SQLiteValue] = []) throws -> Int? {
    try first(text, values) { $0.isNull(0) ? nil : $0.integer(0) } ?? nil
  }

  /// True if a table with this name exists, ignoring case.
  package func hasTable(_ name: String) throws -> Bool {
    let text = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? COLLATE NOCASE"
    return try integer(text, [.text(name)]) != nil
  }

  /// The error that is thrown for text that does not consist of exactly one statement.
  package enum NotOneStatement: Error {
    /// The text is empty or contains only comments.
    case none
    /// The text has another statement after the first one.
    case several(rest: String)
  }

  /// Prepares the only statement of an untrusted text and passes it to `body`, which binds its parameters. Throws
  /// ``NotOneStatement`` if the text contains none or more than one.
  package func single<Result>(
    _ text: String, _ body: (borrowing SQLiteStatement) throws -> Result
  ) throws -> Result {
    try checkUse()
    var prepared: OpaquePointer?
    defer { sqlite3_finalize(prepared) }
    let rest = try text.withCString { text throws -> String? in
      var tail: UnsafePointer<CChar>?
      let code = sqlite3_prepare_v2(handle, text, -1, &prepared, &tail)
      guard code == SQLITE_OK else { throw error(code) }
      return try tail.flatMap { try isBlank($0) ? nil : String(cString: $0) }
    }
    guard let prepared else { throw NotOneStatement.none }
    if let rest { throw NotOneStatement.several(rest: rest) }
    return try body(SQLiteStatement(prepared))
  }

  /// True if the rest of the text consists of spaces, semicolons and comments.
  private func isBlank(_ text: UnsafePointer<CChar>) throws -> Bool {
    var next = text
    while next.pointee != 0 {
      var statement: OpaquePointer?
      var tail: UnsafePointer<CChar>?
      let code = sqlite3_prepare_v2(handle, next, -1, &statement, &tail)
      sqlite3_finalize(statement)
      guard code == SQLITE_OK, statement == nil, let tail, tail != next else { return false }
      next = tail
    }
    return true
  }

  /// Prepares statements that will be run soon.
  package func prepare(_ texts: [String]) throws(SQLiteError) {
    for text in texts { _ = try cached(text) }
  }

  private func cached(_ text: String) throws(SQLiteError) -> OpaquePointer {
    for known in statements where known.text == text { return known.handle }
    guard handle != nil else { throw .closed }
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK else { throw error(code) }
    guard let statement else { throw SQLiteError(.misuse, "there is no statement in '\(text)'") }
    if statements.count >= Self.cachedStatements { forgetIdleStatements() }
    statements.append((text, statement))
    return statement
  }

  private func forgetIdleStatements() {
    statements.removeAll { statement in
      guard !lent.contains(statement.handle) else { return false }
      sqlite3_finalize(statement.handle)
      return true
    }
  }

  private func checkUse() throws {
    guard handle != nil else { throw SQLiteError.closed }
    try cancellation?.check()
  }

  // MARK: Transactions

  package static let begin = "BEGIN IMMEDIATE"
  package static let commit = "COMMIT"

  /// Runs `body` in a transaction. Other connections cannot write until it ends.
  package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    try inTransaction(Self.begin, body)
  }

  /// Runs `body`, which must only read, on a snapshot of the file.
  package func snapshot<Result>(_ body: () throws -> Result) throws -> Result { try inTransaction("BEGIN", body) }

  private func inTransaction<Result>(_ begin: String, _ body: () throws -> Result) throws -> Result {
    try run(begin)
    do {
      let result = try body()
      try run(Self.commit)
      return result
    } catch {
      // The error may already have ended the transaction. The rollback must also work for a caller that was cancelled.
      if isInTransaction { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
      throw error
    }
  }

  /// True if a transaction is open.
  package var isInTransaction: Bool { handle.map { sqlite3_get_autocommit($0) == 0 } ?? false }

  /// The number of rows that the last `INSERT`, `UPDATE` or `DELETE` changed, or 0 if the connection is closed.
  package var changes: Int { handle.map { Int(sqlite3_changes($0)) } ?? 0 }

  /// The rowid of the last inserted row, or 0 if the connection is closed.
  package var lastRow: Int { handle.map { Int(sqlite3_last_insert_rowid($0)) } ?? 0 }

  // MARK: Versions

  /// The error that is thrown for a file whose format is newer than this program supports.
  package struct NewerFormat: Error {
    package let found: Int
    /// The newest format that this program supports.
    package let known: Int
  }

  /// Migrates the file in one transaction: runs the steps that it lacks, and records its format in `user_version`. The
  /// first step creates a file with the format `first`. Throws ``NewerFormat`` if the file's format is newer than that
  /// of the last step.
  package func migrate(_ steps: [String], from first: Int = 1) throws {
    try transaction {
      let found = try integer("PRAGMA user_version") ?? 0
      let last = first + steps.count - 1
      if found > last { throw NewerFormat(found: found, known: last) }
      guard found < last else { return }
      for step in steps.dropFirst(max(0, found - first + 1)) { try execute(step) }
      try execute("PRAGMA user_version = \(last)")
    }
  }
}
