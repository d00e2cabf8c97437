import FlowModel

/// The number of threads that a pool has, and how many it may have.
///
/// There may be as many as there are cores until a ready step has waited a millisecond while no thread came free (up to
/// four after short steps, because a look after them takes as long as dozens of them); then they may be 1, 2, 4, …
/// more, up to ``FlowModel/Limits/threads``, or as many as the system gives threads for.
struct ThreadPool {
  let pool: Pool
  private let base: Int
  /// The number of threads that may be busy at once.
  private(set) var limit: Int
  /// Threads at work, and those on their way.
  private(set) var busy = 0
  /// Threads that were woken and have not taken a step.
  private(set) var waking = 0
  private var growth = 1
  /// Bodies that have returned, to see whether threads come free.
  private(set) var returns = 0
  /// `returns` when the watch on a full pool was set; nil: there is no watch.
  private var watchedReturns: Int?
  /// How long the next watch takes.
  private var watchNanoseconds = shortestWatchNanoseconds
  /// Until when those that are busy should be left alone; nanoseconds from the start of the run.
  private var growthPausedUntil = 0
  /// Until when the limit stays, because its threads work with bodies that return soon; nanoseconds from the start of the run.
  private var limitHeldUntil = 0
  /// Whether the system gave no thread when it was last asked.
  private(set) var isShortOfThreads = false
  /// Since when it has given none though no thread is at work; nanoseconds from the start of the run, nil: it gave one.
  private var withoutThreadsSince: Int?

  private static let shortestWatchNanoseconds = 1_000_000
  private static let longestWatchNanoseconds = 4_000_000
  /// How long the watch takes before the system is asked again for a thread that it did not give.
  private static let missingThreadWatchNanoseconds = 50_000_000
  /// How long steps wait for a thread while no thread of their pool is at work.
  private static let threadlessLimitNanoseconds = 10_000_000_000
  /// How long the limit stays after a thread took a body that returns to it.
  private static let heldLimitNanoseconds = 20_000_000
  /// If this many bodies return during a watch, they were short.
  private static let returnsOfShortSteps = 64

  init(pool: Pool, cores: Int) {
    self.pool = pool
    base = pool == .main ? 1 : max(1, cores)
    limit = base
  }

  /// Whether another thread may be woken.
  var hasRoom: Bool { busy < limit }

  /// Whether another thread may be woken and would be of use.
  func hasRoom(at now: Int) -> Bool { busy < limit && now >= growthPausedUntil }

  /// Threads in each other's way have become one fewer; the others' pace is not what they can do until they had a
  /// while.
  mutating func pauseGrowth(until time: Int) { growthPausedUntil = time }

  /// Whether the threads that are busy should be left alone.
  func isGrowthPaused(at now: Int) -> Bool { now < growthPausedUntil }

  /// A thread is woken.
  mutating func wake() {
    busy += 1
    waking += 1
  }

  /// A thread that was woken has come and looks for a step.
  mutating func noteArrival() {
    waking -= 1
    isShortOfThreads = false
    withoutThreadsSince = nil
  }

  /// The system gave no thread for one that was woken: the pool keeps the number that it has.
  mutating func noteMissingThread(at now: Int) {
    busy -= 1
    waking -= 1
    limit = busy
    growth = 1
    isShortOfThreads = true
    if withoutThreadsSince == nil { withoutThreadsSince = now }
  }

  /// Whether its steps have waited in vain for so long that they must fail: nothing waits without a limit.
  func isOutOfThreads(at now: Int) -> Bool {
    busy == 0 && withoutThreadsSince.map { now - $0 >= Self.threadlessLimitNanoseconds } ?? false
  }

  /// Whether there are as many threads as there may ever be.
  var isFull: Bool { busy >= Limits.threads }

  /// Takes back a thread that found nothing to do.
  mutating func giveBack() {
    busy -= 1
    if limit > base { limit = max(base, busy) }
    growth = 1
  }

  /// Notes that a thread works with a body that returns to it instead of waiting. While there are such, more threads would only
  /// share the processors with them; where one holds its thread nevertheless, the limit grows a moment later.
  mutating func holdLimit(at now: Int) { limitHeldUntil = now + Self.heldLimitNanoseconds }

  /// Whether a thread watches the waiting steps when the watch is over.
  var isWatched: Bool { watchedReturns != nil }

  /// Whether waiting steps are not watched.
  var needsWatch: Bool { watchedReturns == nil && (busy < limit || limit < Limits.threads) }

  mutating func noteReturns(_ count: Int) { returns &+= count }

  /// Sets a watch where waiting steps are not watched: all threads are busy, or those that are work through short
  /// steps. The nanoseconds it takes; nil: none must be set.
  mutating func startWatch() -> Int? {
    guard pool != .main, watchedReturns == nil, busy < limit || limit < Limits.threads else { return nil }
    watchedReturns = returns
    return isShortOfThreads ? Self.missingThreadWatchNanoseconds : watchNanoseconds
  }

  /// Ends the watch. True if no thread became free: the pool may have more threads.
  mutating func endWatch(at now: Int) -> Bool {
    let seen = returns &- (watchedReturns ?? returns)
    watchedReturns = nil
    let isFlowing = seen >= Self.returnsOfShortSteps
    watchNanoseconds =
      isFlowing ? min(2 * watchNanoseconds, Self.longestWatchNanoseconds) : Self.shortestWatchNanoseconds
    guard seen == 0, now >= limitHeldUntil else { return false }
    if busy >= limit {
      limit = min(Limits.threads, limit + growth)
      growth *= 2
    }
    return true
  }
}
