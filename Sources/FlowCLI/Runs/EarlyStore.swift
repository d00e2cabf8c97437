import FlowStore
import FlowSystem
import Synchronization

/// Opens the store of a folder on a separate thread while the workflow is read and starts to run. In a short run,
/// opening the store takes longer than the steps.
final class EarlyStore: Sendable {
  private enum State {
    case closed
    case open(any FileRunStore)
    /// The writer has received the store, or will open it itself.
    case taken
  }

  private let state = Mutex(State.closed)

  /// Starts to open the store of a folder if it exists. Errors are ignored, because the writer then opens the store and
  /// gets the same error.
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

  /// Returns the open store when it is first called. Returns nil if the caller must open the store itself.
  func take() -> (any FileRunStore)? {
    state.withLock { state in
      defer { state = .taken }
      if case .open(let store) = state { return store }
      return nil
    }
  }
}
