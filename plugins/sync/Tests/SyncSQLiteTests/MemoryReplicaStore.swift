import SyncEngine
import Synchronization

/// A device's file in memory, with a disk that can be full.
final class MemoryReplicaStore: ReplicaStore {
  private let state = Mutex<(stored: [String: [UInt8]], isFull: Bool, saves: [Bool])>(([:], false, []))

  var isFull: Bool {
    get { state.withLock { $0.isFull } }
    set { state.withLock { $0.isFull = newValue } }
  }

  /// How often it was tried to write, in vain too.
  var attempts: Int { saves.count }

  /// Of each attempt whether it was to be durable.
  var saves: [Bool] { state.withLock { $0.saves } }

  func load() async throws(ReplicaError) -> [String: [UInt8]] { state.withLock { $0.stored } }

  func save(_ changes: [StoreChange], isDurable: Bool) async throws(ReplicaError) {
    state.withLock { $0.saves.append(isDurable) }
    if isFull { throw .storage("the disk is full") }
    state.withLock { state in for change in changes { state.stored[change.key] = change.value } }
  }
}

/// A clock that stands: what is due now happens now, everything else never.
struct StandingClock: SyncClock {
  func nowMilliseconds() -> Int64 { 1_000_000 }

  func sleep(untilMilliseconds time: Int64) async throws {
    if time > nowMilliseconds() { try await Task.sleep(for: .seconds(3600)) }
  }
}
