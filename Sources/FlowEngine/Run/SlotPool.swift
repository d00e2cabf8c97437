import Dispatch
import FlowModel

/// The slots of one lane: threads that run steps, each a serial Dispatch queue, so that an idle one costs nothing and a
/// blocked one starves nobody.
///
/// There are as many as there are cores until a ready step has waited a millisecond while no slot came free (up to four
/// after short steps, because a look after them takes as long as dozens of them); then slots are added, 1, 2, 4, …, up to
/// ``FlowModel/Limits/slots``.
struct SlotPool {
  let lane: Lane
  private let base: Int
  private let dispatchQualityOfService: DispatchQoS
  /// How many slots may be busy at once.
  private(set) var limit: Int
  private(set) var busy = 0
  private var idle: [DispatchQueue] = []
  private var created = 0
  private var growth = 1
  /// Bodies that have returned, to see whether slots come free.
  private(set) var returns = 0
  /// `returns` when the watch on a full pool was set; nil: there is no watch.
  private var watchedReturns: Int?
  /// How long the next watch takes.
  private var watchNanoseconds = shortestWatchNanoseconds

  private static let shortestWatchNanoseconds = 1_000_000
  private static let longestWatchNanoseconds = 4_000_000
  /// So many bodies that returned during a watch were short ones.
  private static let returnsOfShortSteps = 64

  init(lane: Lane, cores: Int) {
    self.lane = lane
    if let quality = lane.qualityOfService {
      base = max(1, cores)
      dispatchQualityOfService = quality.dispatch
    } else {
      base = 1
      idle = [DispatchQueue.main]
      created = 1
      dispatchQualityOfService = .userInteractive
    }
    limit = base
  }

  /// Until when those that are busy are to be left alone; nanoseconds from the start of the run.
  private var aloneUntil = 0

  /// Whether another slot may start.
  var hasRoom: Bool { busy < limit }

  /// Whether another slot may start and would be of use.
  func hasRoom(at now: Int) -> Bool { busy < limit && now >= aloneUntil }

  /// Slots in each other's way have become one fewer; the others' pace is not what they can do until they had a while.
  mutating func leaveAlone(until time: Int) { aloneUntil = time }

  /// Whether the slots that are busy are to be left alone.
  func isLeftAlone(at now: Int) -> Bool { now < aloneUntil }

  /// Takes an idle slot, or makes one.
  mutating func take() -> DispatchQueue {
    busy += 1
    if let queue = idle.popLast() { return queue }
    created += 1
    return DispatchQueue(label: "flowrun.slot.\(created)", qos: dispatchQualityOfService)
  }

  /// Takes back a slot that found nothing to do.
  mutating func giveBack(_ queue: DispatchQueue) {
    busy -= 1
    idle.append(queue)
    if limit > base { limit = max(base, busy) }
    growth = 1
  }

  /// Whether somebody looks after steps that wait, when the watch is over.
  var isWatched: Bool { watchedReturns != nil }

  /// Whether nobody looks after steps that wait.
  var needsWatch: Bool { watchedReturns == nil && (busy < limit || limit < Limits.slots) }

  mutating func noteReturns(_ count: Int) { returns &+= count }

  /// Sets a watch where steps wait that nobody looks after: all slots are busy, or those that are work through short
  /// steps. The nanoseconds it takes; nil: none must be set.
  mutating func startWatch() -> Int? {
    guard lane != .main, watchedReturns == nil, busy < limit || limit < Limits.slots else { return nil }
    watchedReturns = returns
    return watchNanoseconds
  }

  /// The watch is over. True when no slot came free meanwhile: others must help, and there may be more of them.
  mutating func endWatch() -> Bool {
    let seen = returns &- (watchedReturns ?? returns)
    watchedReturns = nil
    let isFlowing = seen >= Self.returnsOfShortSteps
    watchNanoseconds =
      isFlowing ? min(2 * watchNanoseconds, Self.longestWatchNanoseconds) : Self.shortestWatchNanoseconds
    guard seen == 0 else { return false }
    if busy >= limit {
      limit = min(Limits.slots, limit + growth)
      growth *= 2
    }
    return true
  }
}

extension QualityOfService {
  /// The same in Dispatch's terms.
  var dispatch: DispatchQoS {
    switch self {
    case .userInteractive: .userInteractive
    case .userInitiated: .userInitiated
    case .utility: .utility
    case .background: .background
    }
  }

  /// The same for tasks.
  var taskPriority: TaskPriority {
    switch self {
    case .userInteractive, .userInitiated: .userInitiated
    case .utility: .utility
    case .background: .background
    }
  }
}
