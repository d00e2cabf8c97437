/// How fast a thread works through its steps, from one end to the next; on its thread's stack.
struct Pace {
  private var clock: ThreadClock
  /// What a short step takes at most.
  private let shortNanoseconds: Int
  private var last: Int
  /// So high at first that some two dozen steps must be short before the thread takes it that the next are.
  private var averageNanoseconds: Int
  private var turns = 0
  private var nextReportAt: Int
  /// The pool's returns when it last heard of them; nil: not yet.
  private var returnsSeen: Int?
  private var isSurplus = false

  /// How many steps, and how much time, may pass before the pool hears that bodies have returned.
  private static let turnsBetweenReports = 128
  private static let nanosecondsBetweenReports = 20_000

  init(_ clock: ThreadClock, shortNanoseconds: Int) {
    self.clock = clock
    self.shortNanoseconds = shortNanoseconds
    averageNanoseconds = 25 &* shortNanoseconds
    last = self.clock.now()
    nextReportAt = last &+ Self.nanosecondsBetweenReports
  }

  /// Whether its steps are so short that another thread would cost more than it helps.
  var isShort: Bool { averageNanoseconds < shortNanoseconds }

  /// The number of steps that it works through in so much time.
  func steps(inNanoseconds time: Int) -> Int { time / max(1, averageNanoseconds) }

  /// Notes the end of a step and tells its time: an average that forgets, an eighth a step.
  @inline(__always)
  mutating func endStep() -> Int {
    let now = clock.now()
    turns &+= 1
    averageNanoseconds &+= (now &- last &- averageNanoseconds) >> 3
    last = now
    return now
  }

  /// Whether the thread just takes the next step; now and then it asks the pool, with ``report(to:)``.
  @inline(__always)
  var isWithinInterval: Bool { turns < Self.turnsBetweenReports && last < nextReportAt }

  /// Reports to the pool that bodies have returned, and says whether the thread takes another step. Of several threads
  /// that together end steps faster than one alone would, one is enough: the others only fetch each other's memory.
  /// Once asked to stop, it stops.
  mutating func report(to pool: inout ThreadPool) -> Bool {
    if isSurplus { return false }
    pool.noteReturns(turns)
    let returns = pool.returns &- (returnsSeen ?? pool.returns)
    let elapsed = last &- (nextReportAt &- Self.nanosecondsBetweenReports)
    isSurplus = pool.busy > 1 && returns > turns &+ turns / 2 && elapsed < returns &* (shortNanoseconds / 2)
    if isSurplus {
      pool.pauseGrowth(until: last &+ Self.nanosecondsBetweenReports)
      return false
    }
    returnsSeen = pool.returns
    turns = 0
    nextReportAt = last &+ Self.nanosecondsBetweenReports
    return true
  }
}
