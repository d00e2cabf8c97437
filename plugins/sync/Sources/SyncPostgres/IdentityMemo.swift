#if Network
  import SyncCore
  import Synchronization

  /// The store's identity as it was last read, so that a commit does not read it again.
  final class IdentityMemo: Sendable {
    private let known = Mutex<StoreIdentity?>(nil)

    /// Nil before it has been read, and after a connection has been opened: the database may be another one.
    var identity: StoreIdentity? { known.withLock { $0 } }

    func note(_ identity: StoreIdentity) { known.withLock { $0 = identity } }

    func forget() { known.withLock { $0 = nil } }
  }
#endif
