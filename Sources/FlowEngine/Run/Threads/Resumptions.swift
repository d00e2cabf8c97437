import FlowModel
import FlowPluginKit

/// A body that has waited and can continue.
struct Resumption: Sendable {
  var start: Start
  var pool: Pool
  /// The next part.
  var next: @Sendable () throws -> BodyInParts.Progress
}

/// The bodies that can continue, for each pool in the order in which they became ready. Uses no memory while empty.
struct Resumptions {
  private struct Queue {
    var waiting: [Resumption?] = []
    var first = 0

    var count: Int { waiting.count - first }
  }

  private var queues: [Queue] = []
  private(set) var isEmpty = true

  /// The number of bodies that wait for a thread of the pool.
  func count(in pool: Pool) -> Int { isEmpty || pool.index >= queues.count ? 0 : queues[pool.index].count }

  /// Adds a body after the others of its pool.
  mutating func append(_ resumption: Resumption) {
    if queues.isEmpty { queues = Array(repeating: Queue(), count: Pool.all.count) }
    queues[resumption.pool.index].waiting.append(resumption)
    isEmpty = false
  }

  /// Removes and returns the body that has waited longest for a thread of the pool.
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
