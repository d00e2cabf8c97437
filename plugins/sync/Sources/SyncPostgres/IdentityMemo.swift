#if Network
  import SyncCore
  import Synchronization

  /// Caches the identity of the store, so that commits need not read it.
  final class IdentityMemo: Sendable {
    private let known = Mutex<StoreIdentity?>(nil)

    /// The identity, or nil if it must be read: at first, after a connection has been opened, possibly to another
    /// database, and if the store may have a new identity.
    var identity: StoreIdentity? { known.withLock { $0 } }

    func note(_ identity: StoreIdentity) { known.withLock { $0 = identity } }

    func forget() { known.withLock { $0 = nil } }
  }
#endif
