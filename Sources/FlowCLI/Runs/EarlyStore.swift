import FlowStore
import FlowSystem
import Synchronization

/// The store of a folder, which is opened on a separate thread while the workflow is read and starts to run. In a short
/// run, opening the store takes longer than the steps.
final class EarlyStore: Sendable {
  private enum State {
    case closed
    case open(any FileRunStore)
    /// The writer has taken the store, or opens the store itself.
    case taken
  }

  private let state = Mutex(State.closed)

  /// Opens the store of a folder if it exists. An error is ignored here: the writer tries again and gets the same
  /// error.
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

  /// Returns the open store on the first call. Returns nil if the caller must open it.
  func take() -> (any FileRunStore)? {
    state.withLock { state in
      defer { state = .taken }
      if case .open(let store) = state { return store }
      return nil
    }
  }
}
