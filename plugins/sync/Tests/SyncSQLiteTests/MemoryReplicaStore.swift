import SyncCore
import SyncEngine
import Synchronization

/// A device's file that is kept in memory. The simulated disk can be full.
final class MemoryReplicaStore: ReplicaStore {
  private let state = Mutex<(stored: [String: [UInt8]], isFull: Bool, saves: [Bool])>(([:], false, []))

  var isFull: Bool {
    get { state.withLock { $0.isFull } }
    set { state.withLock { $0.isFull = newValue } }
  }

  /// A gate that delays every write, or nil.
  let gate: Gate?
  /// If set, saving a value that contains this text fails as if the disk were full.
  let refused: String?

  init(gate: Gate? = nil, refused: String? = nil) { (self.gate, self.refused) = (gate, refused) }

  /// Delays all callers until it is opened.
  actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func wait() async {
      if !isOpen { await withCheckedContinuation { waiting.append($0) } }
    }

    func open() {
      isOpen = true
      for one in waiting { one.resume() }
      waiting = []
    }
  }

  /// The number of writes, including failed ones.
  var attempts: Int { saves.count }

  /// For each write, true if it had to be durable.
  var saves: [Bool] { state.withLock { $0.saves } }

  func load() async throws(ReplicaError) -> [String: [UInt8]] { state.withLock { $0.stored } }

  func save(_ changes: [StoreChange], isDurable: Bool) async throws(ReplicaError) {
    state.withLock { $0.saves.append(isDurable) }
    await gate?.wait()
    if isFull { throw .storage("the disk is full") }
    if let refused, changes.contains(where: { String(decoding: $0.value ?? [], as: UTF8.self).contains(refused) }) {
      throw .storage("it does not fit")
    }
    state.withLock { state in for change in changes { state.stored[change.key] = change.value } }
  }
}

/// A clock that always shows the same time, so that only events that are due now occur.
struct StandingClock: SyncClock {
  func nowMilliseconds() -> Int64 { 1_000_000 }

  func sleep(untilMilliseconds time: Int64) async throws {
    if time > nowMilliseconds() { try await Task.sleep(for: .seconds(3600)) }
  }
}
