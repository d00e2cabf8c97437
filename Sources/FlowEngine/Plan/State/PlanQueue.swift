import FlowModel

/// The threads that run the steps of a queue: the main thread, the threads of one quality of service, or no threads of
/// this process.
package struct Pool: Hashable, Sendable {
  /// The index: 0 for the main thread, 1 to 4 for the qualities of service, beginning with the most urgent, and 5 for
  /// remote steps.
  let index: Int

  /// The pool of the main thread.
  package static let main = Pool(index: 0)

  /// Returns the pool of a quality of service.
  package static func threads(_ quality: StepQueue) -> Pool {
    switch quality {
    case .userInteractive: Pool(index: 1)
    case .userInitiated: Pool(index: 2)
    case .utility: Pool(index: 3)
    case .background: Pool(index: 4)
    }
  }

  /// The pool of steps that executors run, which has no threads in this process.
  package static let remote = Pool(index: 5)

  /// The pools that have threads, by index.
  static let all = Pools()

  /// The quality of service of the threads, or nil for the main thread and for remote steps.
  var qualityOfService: StepQueue? {
    switch index {
    case 1: .userInteractive
    case 2: .userInitiated
    case 3: .utility
    case 4: .background
    default: nil
    }
  }
}

/// The collection ``Pool/all``. It is not an array, because the runtime would create the array's type during the launch
/// of each app.
struct Pools: RandomAccessCollection, Sendable {
  var startIndex: Int { Pool.main.index }
  var endIndex: Int { Pool.remote.index }
  subscript(index: Int) -> Pool { Pool(index: index) }
}

/// A set of pools.
struct PoolSet: Sendable {
  private var bits: UInt8 = 0

  var isEmpty: Bool { bits == 0 }

  func contains(_ pool: Pool) -> Bool { bits & 1 << pool.index != 0 }

  mutating func insert(_ pool: Pool) { bits |= 1 << pool.index }
}

/// A queue of the plan: its steps, the ready ones, and the number that may run at once.
struct PlanQueue: Sendable {
  let name: String
  let pool: Pool
  /// The maximum number of the queue's steps that run at once.
  let width: Int
  /// The number of running bodies, including those that were asked to end and have not returned.
  var occupied = 0
  /// The steps of the queue, by rank.
  var members: [StepIndex] = []
  /// The ready steps, as positions in `members`. Set up when the queue is added to the plan's tables.
  var ready = ReadySet()
  /// The resources that each step of the queue requests, or nil if they are not counted.
  var request: MachineResources?
  /// The queue that this one shares its width with, or nil if it has its own width.
  var base: Int?

  /// Creates a queue whose steps request no resources that are counted.
  init(name: String, pool: Pool, width: Int) {
    self.name = name
    self.pool = pool
    self.width = width
  }

  var canStart: Bool { !ready.isEmpty && occupied < width }

  /// The queues that every workflow has, by index: `main`, then one for each quality of service.
  static let builtIn = Pool.all.map { pool in
    PlanQueue(name: pool.qualityOfService?.rawValue ?? "main", pool: pool, width: pool == .main ? 1 : .max)
  }
}
