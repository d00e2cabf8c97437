import CSQLite
import Synchronization

/// A flag that cancels a caller's statements.
final class SQLiteCancellation: Sendable {
  private let flag = Atomic(false)

  /// Cancels the statement that is running, and all later ones.
  func cancel() { flag.store(true, ordering: .releasing) }

  func check() throws(CancellationError) {
    if isCancelled { throw CancellationError() }
  }

  fileprivate var isCancelled: Bool { flag.load(ordering: .acquiring) }
}

extension SQLiteConnection {
  /// Runs `body`. If `cancellation` is cancelled, the current statement stops, and this method throws
  /// `CancellationError`. Replaces the deadline of ``interrupt(after:)``.
  ///
  /// SQLite checks the flag every 10,000 instructions of its virtual machine, about every millisecond.
  /// `sqlite3_interrupt` is not an alternative: it has no effect between two statements, so a cancellation could be
  /// lost.
  func cancellable<Result>(
    by cancellation: SQLiteCancellation, _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    guard let handle else { throw SQLiteError.closed }
    self.cancellation = cancellation
    // Proof of safety: SQLite uses the pointer within calls of this connection until the handler is removed below. The
    // caller keeps `cancellation` until then.
    let context = Unmanaged.passUnretained(cancellation).toOpaque()
    sqlite3_progress_handler(
      handle, 10_000,
      { context in
        guard let context else { return 1 }
        // Proof of safety: `context` is the pointer passed below. The caller keeps the cancellation that it points to.
        let cancellation = Unmanaged<SQLiteCancellation>.fromOpaque(context).takeUnretainedValue()
        return cancellation.isCancelled ? 1 : 0
      }, context)
    defer {
      self.cancellation = nil
      if let handle = self.handle { sqlite3_progress_handler(handle, 0, nil, nil) }
    }
    do {
      try cancellation.check()
      return try body(self)
    } catch let error as SQLiteError where error.kind == .interrupted {
      try cancellation.check()
      throw error
    }
  }
}
