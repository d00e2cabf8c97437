import FlowModel

/// Which threads a queue's steps run on: the main thread, the threads of one quality of service, or none of this
/// process.
public struct Pool: Hashable, Sendable {
  /// 0 for the main thread, then the qualities of service, most urgent first.
  let index: Int

  /// The main thread.
  public static let main = Pool(index: 0)

  /// The threads of a quality of service.
  public static func threads(_ quality: StepQueue) -> Pool {
    switch quality {
    case .userInteractive: Pool(index: 1)
    case .userInitiated: Pool(index: 2)
    case .utility: Pool(index: 3)
    case .background: Pool(index: 4)
    }
  }

  /// No threads of this process: executors run its steps elsewhere.
  public static let remote = Pool(index: 5)

  /// Every pool that has threads, in the order of their indices.
  static let all = (main.index..<remote.index).map { Pool(index: $0) }

  /// The quality of service of its threads; nil: the main thread, or none of this process.
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

/// A queue as the plan counts it: who is ready, how many run, how many may.
struct PlanQueue: Sendable {
  let name: String
  let pool: Pool
  /// How many of its steps may run at once.
  let width: Int
  /// How much of the width is in use: by running bodies, and by bodies that were asked to end and have not returned.
  var occupied = 0
  /// Its steps by rank.
  var members: [StepIndex] = []
  /// Positions in `members` that are ready; made when the queue is put into the plan's tables.
  var ready = ReadySet()
  /// What each of its steps takes of the machine; nil: that is not counted.
  var request: MachineResources?
  /// The queue whose width it has a part in; nil: it has its own.
  var base: Int?

  init(name: String, pool: Pool, width: Int, request: MachineResources? = nil, base: Int? = nil) {
    self.name = name
    self.pool = pool
    self.width = width
    self.request = request
    self.base = base
  }

  /// Whether one of its steps may start.
  var canStart: Bool { !ready.isEmpty && occupied < width }

  /// The queues every workflow has, in the order of their indices: `main`, then one for each quality of service.
  static let builtIn = Pool.all.map { pool in
    PlanQueue(name: pool.qualityOfService?.rawValue ?? "main", pool: pool, width: pool == .main ? 1 : .max)
  }
}
