import FlowStoreSQLite
import FlowSystem
import Synchronization

/// The store of a folder, opened on a separate thread while the workflow is read and run. For a short run, opening
/// takes longer than its steps.
final class EarlyStore: Sendable {
  private enum State {
    /// The store has not been opened yet.
    case closed
    case open(SQLiteRunStore)
    /// The writer has taken it or opens its own.
    case taken
  }

  private let state = Mutex(State.closed)

  /// Opens the store of a folder if it exists. Errors are ignored, because the writer will encounter them, too.
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

  /// Returns the store, once, or nil if the caller must open it.
  func take() -> SQLiteRunStore? {
    state.withLock { state in
      defer { state = .taken }
      if case .open(let store) = state { return store }
      return nil
    }
  }
}
