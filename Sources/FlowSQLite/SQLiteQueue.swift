import CSQLite
import FlowPlatform
import Synchronization

/// A connection that all threads may use, one at a time.
package final class SQLiteQueue: Sendable {
  /// The connection, or nil once it has been closed.
  private let connection: Mutex<SQLiteConnection?>
  /// The thread on which asynchronous callers wait for the disk. It is started for the first of them.
  private let worker = Mutex<BlockingWorker?>(nil)
  /// The length in pages from which the log is copied, or nil if SQLite decides.
  private let longestLog: Int?
  /// The length in pages from which SQLite copies the log by default.
  private static let usualLongestLog = 1_000

  /// Opens a file in the same way as ``SQLiteConnection``, and runs the statements in `setup`.
  ///
  /// If the log has at least `longestLog` pages, it is copied into the file after an asynchronous caller has its
  /// result, so that no caller waits for it. A short log is soon written over again, which is faster on the disk than a
  /// log that grows. A synchronous caller copies a log of 1,000 pages, as SQLite does without this limit at the end of
  /// a write.
  package init(
    _ path: String, _ access: SQLiteConnection.Access = .create, busyMilliseconds: Int = 0, setup: String = "",
    longestLog: Int? = nil
  ) throws {
    let connection = try SQLiteConnection(path, access, busyMilliseconds: busyMilliseconds)
    try connection.execute(setup)
    if longestLog != nil { connection.countLog() }
    self.longestLog = longestLog
    self.connection = Mutex(connection)
  }

  /// Uses the connection on the current thread.
  package func sync<Value: Sendable>(_ body: (SQLiteConnection) throws -> Value) throws -> Value {
    try connection.withLock { connection in
      guard let connection else { throw SQLiteError.closed }
      // If all callers are synchronous, the log must not grow without a limit.
      defer { if longestLog != nil { connection.copyLog(from: Self.usualLongestLog) } }
      return try body(connection)
    }
  }

  /// Uses the connection on a separate thread, so that no thread of Swift's pool waits for the disk.
  ///
  /// If the task is cancelled, its current statement is interrupted and no further statement starts. A transaction is
  /// rolled back, and this method throws `CancellationError`.
  package func perform<Value: Sendable>(
    _ body: @escaping @Sendable (SQLiteConnection) throws -> Value
  ) async throws -> Value {
    let cancellation = SQLiteCancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        // If the system cannot start a thread, the body runs on this thread.
        startedWorker().submit { [self] _ in
          connection.withLock { connection in
            guard let connection else { return continuation.resume(throwing: SQLiteError.closed) }
            continuation.resume(with: Result { try connection.cancellable(by: cancellation) { try body($0) } })
            // Until the lock is released, `sync` and `close` wait.
            if let longestLog { connection.copyLog(from: longestLog) }
          }
        }
      }
    } onCancel: {
      cancellation.cancel()
    }
  }

  private func startedWorker() -> BlockingWorker {
    worker.withLock { worker in
      if let worker { return worker }
      let started = BlockingWorker(name: "sqlite")
      worker = started
      return started
    }
  }

  /// Closes the file as soon as no thread is using it. Later uses throw an error, even if they are already waiting.
  package func close() {
    connection.withLock { connection in
      connection?.close()
      connection = nil
    }
    worker.withLock { $0?.stop() }
  }
}

/// A file that one thread writes while others read it. Each reader sees a consistent snapshot of it.
package final class SQLitePool: Sendable {
  private let path: String
  private let busyMilliseconds: Int
  private let writer: SQLiteQueue
  private let readers: [Reader]
  private let nextReader = Atomic<Int>(0)
  private let isClosed = Atomic<Bool>(false)

  private final class Reader: Sendable {
    /// The reader's connection, which is opened on first use.
    private let connection = Mutex<SQLiteConnection?>(nil)

    func use<Value: Sendable>(
      _ open: () throws -> sending SQLiteConnection, _ body: (SQLiteConnection) throws -> Value
    ) throws -> Value {
      try connection.withLock { connection in
        if connection == nil { connection = try open() }
        guard let connection else { throw SQLiteError.closed }
        return try body(connection)
      }
    }

    /// Uses the connection. Returns nil if another thread is using it.
    func useIfFree<Value: Sendable>(
      _ open: () throws -> sending SQLiteConnection, _ body: (SQLiteConnection) throws -> Value
    ) throws -> Value? {
      try connection.withLockIfAvailable { connection in
        if connection == nil { connection = try open() }
        guard let connection else { throw SQLiteError.closed }
        return try body(connection)
      }
    }

    func close() { connection.withLock { $0 = nil } }
  }

  /// Opens a file with a write-ahead log, and creates it if it is missing. Every write waits for the disk.
  package init(_ path: String, readers count: Int, busyMilliseconds: Int) throws {
    self.path = path
    self.busyMilliseconds = busyMilliseconds
    readers = (0..<count).map { _ in Reader() }
    writer = try SQLiteQueue(path, busyMilliseconds: busyMilliseconds)
    try writer.sync { connection in
      let mode = try Self.startLog(on: connection, within: busyMilliseconds)
      guard mode == "wal" else { throw SQLiteError(.error, "it cannot have a write-ahead log here") }
      // Deleted data is overwritten. This is set explicitly, because the default differs between systems.
      try connection.execute("PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
      // This creates the log, without which readers cannot open the file.
      _ = try connection.hasTable("")
    }
  }

  /// Requests a write-ahead log and returns the file's journal mode. SQLite does not wait for other connections that
  /// open a new file at the same time, so the request is repeated for as long as a lock may take.
  private static func startLog(on connection: SQLiteConnection, within milliseconds: Int) throws -> String? {
    let end = ContinuousClock.now + .milliseconds(milliseconds)
    while true {
      do {
        return try connection.first("PRAGMA journal_mode = WAL") { $0.text(0) }
      } catch let error as SQLiteError where error.kind == .busy && ContinuousClock.now < end {
        sqlite3_sleep(10)
      }
    }
  }

  /// Runs `body` on a snapshot of the file, while a writer may be running.
  package func read<Value: Sendable>(_ body: (SQLiteConnection) throws -> Value) throws -> Value {
    func reading(_ connection: SQLiteConnection) throws -> Value { try connection.snapshot { try body(connection) } }
    for reader in readers {
      if let value = try reader.useIfFree({ try open() }, reading) { return value }
    }
    let number = nextReader.add(1, ordering: .relaxed).oldValue
    return try readers[number % readers.count].use({ try open() }, reading)
  }

  private func open() throws -> sending SQLiteConnection {
    guard !isClosed.load(ordering: .acquiring) else { throw SQLiteError.closed }
    return try SQLiteConnection(path, .readOnly, busyMilliseconds: busyMilliseconds)
  }

  /// Runs `body` in a transaction.
  package func write<Value: Sendable>(_ body: (SQLiteConnection) throws -> Value) throws -> Value {
    try writer.sync { connection in try connection.transaction { try body(connection) } }
  }

  /// Closes each connection as soon as no thread is using it. The writer comes last, because closing it copies the log
  /// into the file and removes it.
  package func close() {
    isClosed.store(true, ordering: .releasing)
    for reader in readers { reader.close() }
    writer.close()
  }
}
