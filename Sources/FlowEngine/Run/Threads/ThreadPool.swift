import FlowModel

/// The number of a pool's threads, and its limit.
///
/// The limit is the number of cores until a ready step has waited 1 ms while no thread became free (up to 4 ms after
/// short steps, because a check takes as long as dozens of them). Then it grows by 1, 2, 4, …, up to
/// ``FlowModel/Limits/threads`` or the number of threads that the system provides.
struct ThreadPool {
  let pool: Pool
  private let base: Int
  /// The number of threads that may be busy at once.
  private(set) var limit: Int
  /// The threads that are working or have been woken.
  private(set) var busy = 0
  /// The threads that were woken and have not taken a step.
  private(set) var waking = 0
  private var growth = 1
  /// The number of bodies that have returned, to detect whether threads become free.
  private(set) var returns = 0
  /// `returns` when the watch on a full pool was set, or nil if there is no watch.
  private var watchedReturns: Int?
  /// The duration of the next watch.
  private var watchNanoseconds = shortestWatchNanoseconds
  /// The time until which no thread should be added, in nanoseconds from the start of the run.
  private var growthPausedUntil = 0
  /// The time until which the limit stays, because threads work with bodies that return soon, in nanoseconds from the
  /// start of the run.
  private var limitHeldUntil = 0
  /// True if the system refused the last thread.
  private(set) var isShortOfThreads = false
  /// The time since which the system has refused threads while none was working, in nanoseconds from the start of the
  /// run, or nil.
  private var withoutThreadsSince: Int?

  private static let shortestWatchNanoseconds = 1_000_000
  private static let longestWatchNanoseconds = 4_000_000
  /// The duration of the watch after which a refused thread is requested again.
  private static let missingThreadWatchNanoseconds = 50_000_000
  /// The time after which steps fail if their pool has no thread.
  private static let threadlessLimitNanoseconds = 10_000_000_000
  /// The time for which the limit stays after a thread took a body in parts.
  private static let heldLimitNanoseconds = 20_000_000
  /// If this many bodies return during a watch, they were short.
  private static let returnsOfShortSteps = 64

  init(pool: Pool, cores: Int) {
    self.pool = pool
    base = pool == .main ? 1 : max(1, cores)
    limit = base
  }

  /// True if another thread may be woken.
  var hasRoom: Bool { busy < limit }

  /// True if another thread may be woken and would be useful.
  func hasRoom(at now: Int) -> Bool { busy < limit && now >= growthPausedUntil }

  /// Pauses growth after one of several competing threads has stopped, until the pace of the others can be measured.
  mutating func pauseGrowth(until time: Int) { growthPausedUntil = time }

  /// True while no thread should be added.
  func isGrowthPaused(at now: Int) -> Bool { now < growthPausedUntil }

  /// Records that a thread is woken.
  mutating func wake() {
    busy += 1
    waking += 1
  }

  /// Records that a woken thread has arrived and looks for a step.
  mutating func noteArrival() {
    waking -= 1
    isShortOfThreads = false
    withoutThreadsSince = nil
  }

  /// Records that the system refused a thread. The pool keeps the number that it has.
  mutating func noteMissingThread(at now: Int) {
    busy -= 1
    waking -= 1
    limit = busy
    growth = 1
    isShortOfThreads = true
    if withoutThreadsSince == nil { withoutThreadsSince = now }
  }

  /// True if steps have waited so long without any thread that they must fail.
  func isOutOfThreads(at now: Int) -> Bool {
    busy == 0 && withoutThreadsSince.map { now - $0 >= Self.threadlessLimitNanoseconds } ?? false
  }

  /// True if the number of threads has reached the global limit.
  var isFull: Bool { busy >= Limits.threads }

  /// Releases a thread that found nothing to do.
  mutating func giveBack() {
    busy -= 1
    if limit > base { limit = max(base, busy) }
    growth = 1
  }

  /// Records that a thread works with a body that returns to it instead of waiting. Meanwhile, more threads would only
  /// compete for the processors. If a body blocks its thread nevertheless, the limit grows a moment later.
  mutating func holdLimit(at now: Int) { limitHeldUntil = now + Self.heldLimitNanoseconds }

  /// True if a watch for waiting steps is set.
  var isWatched: Bool { watchedReturns != nil }

  /// True if waiting steps need a watch.
  var needsWatch: Bool { watchedReturns == nil && (busy < limit || limit < Limits.threads) }

  mutating func noteReturns(_ count: Int) { returns &+= count }

  /// Sets a watch for waiting steps, if there is none and the threads are busy or run short steps. Returns its duration
  /// in nanoseconds, or nil if none must be set.
  mutating func startWatch() -> Int? {
    guard pool != .main, watchedReturns == nil, busy < limit || limit < Limits.threads else { return nil }
    watchedReturns = returns
    return isShortOfThreads ? Self.missingThreadWatchNanoseconds : watchNanoseconds
  }

  /// Ends the watch. Returns true if no thread became free, so the pool may grow.
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
