import FlowModel

/// The threads that a pool has in a run, and their limit.
///
/// The limit is the number of cores. It grows by 1, 2, 4, … if a ready step waits 1 ms and no thread becomes free, up
/// to ``FlowModel/Limits/threads`` or what the system allows. After short steps, the wait is up to 4 ms, because a
/// check takes as long as dozens of them.
struct ThreadPool {
  let pool: Pool
  private let base: Int
  /// The number of threads that may be busy at the same time.
  private(set) var limit: Int
  /// The number of threads that are working or have been woken.
  private(set) var busy = 0
  /// The number of threads that have been woken and have not taken a step.
  private(set) var waking = 0
  private var growth = 1
  /// The number of bodies that have returned. While it increases, threads become free.
  private(set) var returns = 0
  /// The value of `returns` when the watch was set, or nil if no watch is set.
  private var watchedReturns: Int?
  private var watchNanoseconds = shortestWatchNanoseconds
  /// The earliest time at which a thread may be added, in nanoseconds from the start of the run.
  private var growthPausedUntil = 0
  /// The earliest time at which the limit may grow, in nanoseconds from the start of the run. It is set while threads
  /// work on bodies that release their thread while they wait. Once it is set, the limit grows only when all woken
  /// threads have arrived, because on a busy machine this takes longer than a watch, and each arrival sets it again.
  private var limitHeldUntil = Int.min
  /// True if the system refused to create the last thread.
  private(set) var isShortOfThreads = false
  /// The time, in nanoseconds from the start of the run, at which the system refused a thread while the pool had none.
  /// Nil while the pool has threads.
  private var withoutThreadsSince: Int?

  private static let shortestWatchNanoseconds = 1_000_000
  private static let longestWatchNanoseconds = 4_000_000
  /// The pause after which a pool requests a thread again that the system refused.
  private static let missingThreadWatchNanoseconds = 50_000_000
  /// The time after which waiting steps fail if their pool has no thread.
  private static let threadlessLimitNanoseconds = 10_000_000_000
  /// The time for which the limit does not grow after a thread has taken a body that releases its thread while it
  /// waits.
  private static let heldLimitNanoseconds = 20_000_000
  /// The number of bodies that must return during a watch for the steps to count as short.
  private static let returnsOfShortSteps = 64

  init(pool: Pool, cores: Int) {
    self.pool = pool
    base = pool == .main ? 1 : max(1, cores)
    limit = base
  }

  /// True if another thread may be woken.
  var hasRoom: Bool { busy < limit }

  /// True if another thread may be woken and growth is not paused now.
  func hasRoom(at now: Int) -> Bool { busy < limit && now >= growthPausedUntil }

  /// Pauses growth after one of several competing threads has stopped, until the pace of the remaining ones is known.
  mutating func pauseGrowth(until time: Int) { growthPausedUntil = time }

  func isGrowthPaused(at now: Int) -> Bool { now < growthPausedUntil }

  /// Counts a thread that is being woken.
  mutating func wake() {
    busy += 1
    waking += 1
  }

  /// Records that a woken thread is running and about to take a step.
  mutating func noteArrival() {
    waking -= 1
    isShortOfThreads = false
    withoutThreadsSince = nil
  }

  /// Records that the system refused a thread. The number of threads that the pool has becomes its limit.
  mutating func noteMissingThread(at now: Int) {
    busy -= 1
    waking -= 1
    limit = busy
    growth = 1
    isShortOfThreads = true
    if withoutThreadsSince == nil { withoutThreadsSince = now }
  }

  /// True if the pool has been without threads for so long that its steps must fail.
  func isOutOfThreads(at now: Int) -> Bool {
    busy == 0 && withoutThreadsSince.map { now - $0 >= Self.threadlessLimitNanoseconds } ?? false
  }

  var isFull: Bool { busy >= Limits.threads }

  /// Records that a thread has found no step and is released.
  mutating func giveBack() {
    busy -= 1
    if limit > base { limit = max(base, busy) }
    growth = 1
  }

  /// Stops the limit from growing for a while: a thread works on a body that releases its thread while it waits, and
  /// more threads would only compete for the processors. If a body blocks its thread instead, the limit grows later.
  mutating func holdLimit(at now: Int) { limitHeldUntil = now + Self.heldLimitNanoseconds }

  var isWatched: Bool { watchedReturns != nil }

  /// True if no watch is set and a watch could help waiting steps.
  var needsWatch: Bool { watchedReturns == nil && (busy < limit || limit < Limits.threads) }

  mutating func noteReturns(_ count: Int) { returns &+= count }

  /// Sets a watch for waiting steps, unless one is set or more threads are impossible. Returns its duration in
  /// nanoseconds, or nil if none was set.
  mutating func startWatch() -> Int? {
    guard pool != .main, watchedReturns == nil, busy < limit || limit < Limits.threads else { return nil }
    watchedReturns = returns
    return isShortOfThreads ? Self.missingThreadWatchNanoseconds : watchNanoseconds
  }

  /// Ends the watch. Returns true if no body has returned since it was set, so that more threads should be woken.
  /// Returns false if the pool has no room for more and the limit is held.
  mutating func endWatch(at now: Int) -> Bool {
    let seen = returns &- (watchedReturns ?? returns)
    watchedReturns = nil
    let isFlowing = seen >= Self.returnsOfShortSteps
    watchNanoseconds =
      isFlowing ? min(2 * watchNanoseconds, Self.longestWatchNanoseconds) : Self.shortestWatchNanoseconds
    guard seen == 0 else { return false }
    if busy >= limit {
      guard now >= limitHeldUntil, waking == 0 || limitHeldUntil == .min else { return false }
      limit = min(Limits.threads, limit + growth)
      growth *= 2
    }
    return true
  }
}
