import FlowModel

/// The threads that run a queue's steps: the main thread, the threads of one quality of service, or none of this
/// process.
public struct Pool: Hashable, Sendable {
  /// 0 is the main thread; the qualities of service follow, the most urgent first.
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

  /// No threads of this process, because executors run the steps.
  public static let remote = Pool(index: 5)

  /// The pools that have threads, by index.
  static let all = (main.index..<remote.index).map { Pool(index: $0) }

  /// The quality of service of the pool's threads, or nil for the main thread and for remote steps.
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

/// A queue of the plan, with its ready steps, its width and its occupied capacity.
struct PlanQueue: Sendable {
  let name: String
  let pool: Pool
  /// The maximum number of its steps that run at once.
  let width: Int
  /// The used part of the width: running bodies, and bodies that were asked to end and have not returned.
  var occupied = 0
  /// Its steps, by rank.
  var members: [StepIndex] = []
  /// The positions in `members` of ready steps. Created when the queue is added to the plan's tables.
  var ready = ReadySet()
  /// The resources that each of its steps requests, or nil if these are not counted.
  var request: MachineResources?
  /// The queue whose width this one shares, or nil if it has its own.
  var base: Int?

  init(name: String, pool: Pool, width: Int, request: MachineResources? = nil, base: Int? = nil) {
    self.name = name
    self.pool = pool
    self.width = width
    self.request = request
    self.base = base
  }

  /// True if one of its steps may start.
  var canStart: Bool { !ready.isEmpty && occupied < width }

  /// The queues of every workflow, by index: `main`, then one for each quality of service.
  static let builtIn = Pool.all.map { pool in
    PlanQueue(name: pool.qualityOfService?.rawValue ?? "main", pool: pool, width: pool == .main ? 1 : .max)
  }
}
