import CSQLite
import Synchronization

/// Whether a caller has lost interest, and the connection that works for it.
final class SQLiteCancellation: Sendable {
  private struct State {
    var isCancelled = false
    /// The handle at work, as a number.
    var handle: UInt?
  }

  private let state = Mutex(State())

  /// Ends the statement that runs, and all that would follow.
  ///
  /// Proof of safety: a handle may be interrupted from any thread while it is open. It is noted only within
  /// ``SQLiteConnection/cancellable(by:_:)``, during which the connection is not closed, and is used under the lock.
  func cancel() {
    state.withLock { state in
      state.isCancelled = true
      if let handle = state.handle.flatMap({ OpaquePointer(bitPattern: $0) }) { sqlite3_interrupt(handle) }
    }
  }

  func check() throws(CancellationError) {
    if state.withLock({ $0.isCancelled }) { throw CancellationError() }
  }

  fileprivate func begin(_ handle: OpaquePointer?) {
    state.withLock { $0.handle = handle.map { UInt(bitPattern: $0) } }
  }

  fileprivate func end() { state.withLock { $0.handle = nil } }
}

extension SQLiteConnection {
  /// Runs `body` until the cancellation ends it, which throws `CancellationError`.
  func cancellable<Result>(
    by cancellation: SQLiteCancellation, _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    cancellation.begin(handle)
    self.cancellation = cancellation
    defer {
      self.cancellation = nil
      cancellation.end()
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
