import SyncCore
import SyncEngine

/// The server in the simulated world: a zone, who listens, and the oracle's notes of what it took.
struct SimulatedServer {
  struct Listener {
    var device: Int
    var life: Int
    var channel: Int
    var fetched: Int64
    var repeats: Int
  }

  var zone: ZoneState
  var backup: ZoneState?
  var listeners: [Listener] = []
  var oracle = Oracle()
  /// Whether the zone has ever gone back, so that the oracle's list is no longer the whole truth.
  var hasGoneBack = false
  /// The writes that each version of each record contains.
  var contents: [RecordKey: [Int64: Set<Dot>]] = [:]

  init(seed: UInt64, policy: any MergePolicy) {
    zone = ZoneState(generation: seed | 1, policy: policy)
  }

  /// Makes the changes and notes what was taken; `pasts` tells what the author of each write had seen.
  mutating func commit(
    _ operations: [Operation], now: Int64, pasts: [Dot: Set<Dot>], known: [RecordKey: Set<Dot>]
  ) throws(BackendError) -> CommitReply {
    let reply = try zone.commit(operations, serverMilliseconds: now)
    for (operation, result) in zip(operations, reply.results) {
      guard case .committed(let version, _, let stamp) = result else { continue }
      var content = contents[operation.key]?[version - 1] ?? []
      switch operation.change {
      case .write(let write):
        content.insert(write.dot)
        oracle.take(write, stamp: stamp ?? write.stamp, key: operation.key, past: pasts[write.dot] ?? [])
      case .join: content.formUnion(known[operation.key] ?? [])
      }
      contents[operation.key, default: [:]][version] = content
    }
    return reply
  }

  /// Goes back to the last copy; opened again, it begins a new life with its next change, or at once where that is said.
  mutating func goBack(generation: UInt64, isAnnounced: Bool) {
    guard let backup else { return }
    zone = backup
    if isAnnounced { zone.begin(generation: generation) } else { zone.reopen(generation: generation) }
    hasGoneBack = true
    for index in listeners.indices { listeners[index].fetched = -1 }
  }
}
