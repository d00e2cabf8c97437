import SyncCore
import SyncDevice
import SyncEngine
import Synchronization

/// A simulated network with a store at each address. All stores are unreachable while it is offline.
final class Cloud: Sendable {
  private let state = Mutex((isOffline: false, stores: [String: MemoryBackend]()))

  var isOffline: Bool {
    get { state.withLock { $0.isOffline } }
    set { state.withLock { $0.isOffline = newValue } }
  }

  /// Puts a new store with no records at an address.
  func replaceStore(at address: String) {
    state.withLock { $0.stores[address] = MemoryBackend(zones: ["PomodoroZone"]) }
  }

  /// Returns the store at an address, which is created if there is none. Throws an error while the network is offline.
  func store(at address: String) throws(BackendError) -> MemoryBackend {
    let store = state.withLock { state -> MemoryBackend? in
      if state.isOffline { return nil }
      let store = state.stores[address] ?? MemoryBackend(zones: ["PomodoroZone"])
      state.stores[address] = store
      return store
    }
    guard let store else { throw .unreachable("offline") }
    return store
  }
}

/// The backend of a device for an address in a ``Cloud``.
struct Offline: SyncBackend {
  let cloud: Cloud
  let address: String

  func commit(
    _ operations: [RecordOperation], zone: String, heard: Cursor?, store: StoreIdentity?
  ) async throws(BackendError) -> CommitReply {
    try await cloud.store(at: address).commit(operations, zone: zone, heard: heard, store: store)
  }

  func changes(
    zone: String, since cursor: Cursor?, limit: Int, maximumBytes: Int, reader: ZoneReader,
    of subscription: SyncSubscription?,
    store: StoreIdentity?
  ) async throws(BackendError) -> ChangePage {
    try await cloud.store(at: address).changes(
      zone: zone, since: cursor, limit: limit, maximumBytes: maximumBytes, reader: reader, of: subscription,
      store: store)
  }

  func watch(zone: String, device: DeviceID, store: StoreIdentity?) -> AsyncThrowingStream<ChannelSign, any Error> {
    do throws(BackendError) {
      return try cloud.store(at: address).watch(zone: zone, device: device, store: store)
    } catch {
      return AsyncThrowingStream { $0.finish(throwing: error) }
    }
  }

  func identity() async throws(BackendError) -> StoreIdentity { try await cloud.store(at: address).identity() }

  func serverTime() async throws(BackendError) -> Int64 { try await cloud.store(at: address).serverTime() }
}
