import FlowModel
import FlowPluginKit

/// A body that has waited and can continue.
struct Resumption: Sendable {
  var start: Start
  var pool: Pool
  /// Runs the next part of the body.
  var next: @Sendable () throws -> BodyInParts.Progress
}

/// The bodies that can continue, in the order in which they became ready. While it is empty, it uses no memory on the
/// heap.
struct Resumptions {
  private struct Queue {
    var waiting: [Resumption?] = []
    var first = 0

    var count: Int { waiting.count - first }
  }

  private var queues: [Queue] = []
  private(set) var isEmpty = true

  func count(in pool: Pool) -> Int { isEmpty || pool.index >= queues.count ? 0 : queues[pool.index].count }

  mutating func append(_ resumption: Resumption) {
    if queues.isEmpty { queues = Array(repeating: Queue(), count: Pool.all.count) }
    queues[resumption.pool.index].waiting.append(resumption)
    isEmpty = false
  }

  /// Removes and returns the body of a pool that has been ready longest, or nil if the pool has none.
  mutating func take(from pool: Pool) -> Resumption? {
    guard count(in: pool) > 0 else { return nil }
    let resumption = queues[pool.index].waiting[queues[pool.index].first].take()
    queues[pool.index].first += 1
    if queues[pool.index].count == 0 {
      queues[pool.index] = Queue()
      isEmpty = queues.allSatisfy { $0.count == 0 }
    }
    return resumption
  }
}
