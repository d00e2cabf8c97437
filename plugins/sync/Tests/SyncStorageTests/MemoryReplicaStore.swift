import SyncEngine
import Synchronization

/// A device's file in memory, with a disk that can be full.
final class MemoryReplicaStore: ReplicaStore {
  private let state = Mutex<(stored: [String: [UInt8]], isFull: Bool)>(([:], false))

  var isFull: Bool {
    get { state.withLock { $0.isFull } }
    set { state.withLock { $0.isFull = newValue } }
  }

  func load() async throws(ReplicaError) -> [String: [UInt8]] { state.withLock { $0.stored } }

  func save(_ changes: [StoreChange]) async throws(ReplicaError) {
    if isFull { throw .storage("the disk is full") }
    state.withLock { state in for change in changes { state.stored[change.key] = change.value } }
  }
}
