import CSQLite
import Synchronization

/// Whether the caller of a connection has been cancelled.
final class SQLiteCancellation: Sendable {
  private let flag = Atomic(false)

  /// Ends the statement that runs, and all that would follow.
  func cancel() { flag.store(true, ordering: .releasing) }

  func check() throws(CancellationError) {
    if isCancelled { throw CancellationError() }
  }

  fileprivate var isCancelled: Bool { flag.load(ordering: .acquiring) }
}

extension SQLiteConnection {
  /// Runs `body` until the cancellation ends it, which throws `CancellationError`. Replaces ``interrupt(after:)``.
  ///
  /// SQLite asks every 10,000 instructions of its machine, about a millisecond. `sqlite3_interrupt` would not do: it has no
  /// effect between two statements, where a cancellation would be lost.
  func cancellable<Result>(
    by cancellation: SQLiteCancellation, _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    guard let handle else { throw SQLiteError.closed }
    self.cancellation = cancellation
    // Proof of safety: SQLite uses the pointer within calls of this connection until the handler is removed below. The
    // caller holds `cancellation` until then.
    let context = Unmanaged.passUnretained(cancellation).toOpaque()
    sqlite3_progress_handler(
      handle, 10_000,
      { context in
        guard let context else { return 1 }
        // Proof of safety: `context` is the pointer given below, to a cancellation that the caller holds.
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
