import FlowStoreSQLite
import FlowSystem
import Synchronization

/// The store of a folder, opened on a thread of its own while the workflow is read and run: a short run would wait longer for
/// that than for its steps.
final class EarlyStore: Sendable {
  private enum State {
    /// It has not been opened.
    case closed
    case open(SQLiteRunStore)
    /// Anyone who writes has it, or opens it himself.
    case taken
  }

  private let state = Mutex(State.closed)

  /// Opens the store of a folder where there is one; what goes wrong is found again by anyone who writes.
  init(in folder: String) {
    guard FilePath.exists(RunMemory.path(in: folder)) else { return }
    try? DetachedThread.start(name: "store") { [self] in
      state.withLock { state in
        guard case .closed = state, let store = try? RunMemory.openStore(in: folder) else { return }
        store.prepareToKeep()
        state = .open(store)
      }
    }
  }

  /// The store, for one; nil: it should be opened.
  func take() -> SQLiteRunStore? {
    state.withLock { state in
      defer { state = .taken }
      if case .open(let store) = state { return store }
      return nil
    }
  }
}
