/// The pace of a thread: the average time between the ends of its steps. It is kept on the thread's stack.
struct Pace {
  private var clock: ThreadClock
  /// The duration below which a step is short, in nanoseconds.
  private let shortNanoseconds: Int
  private var last: Int
  /// The average duration of a step. It starts at a high value, so that about two dozen steps must be short before the
  /// thread treats later ones as short.
  private var averageNanoseconds: Int
  private var turns = 0
  private var nextReportAt: Int
  /// The pool's count of returned bodies at the last report, or nil before the first report.
  private var returnsSeen: Int?
  private var isSurplus = false

  /// After this many steps or this much time, the thread reports to its pool again.
  private static let turnsBetweenReports = 128
  private static let nanosecondsBetweenReports = 20_000

  init(_ clock: ThreadClock, shortNanoseconds: Int) {
    self.clock = clock
    self.shortNanoseconds = shortNanoseconds
    averageNanoseconds = 25 &* shortNanoseconds
    last = self.clock.now()
    nextReportAt = last &+ Self.nanosecondsBetweenReports
  }

  /// True if steps are so short that waking another thread costs more than it helps.
  var isShort: Bool { averageNanoseconds < shortNanoseconds }

  /// Returns the number of steps that the thread can run in `time` nanoseconds.
  func steps(inNanoseconds time: Int) -> Int { time / max(1, averageNanoseconds) }

  /// Records the end of a step and returns its time. The average is exponential: the latest step has a weight of one
  /// eighth.
  @inline(__always)
  mutating func endStep() -> Int {
    let now = clock.now()
    turns &+= 1
    averageNanoseconds &+= (now &- last &- averageNanoseconds) >> 3
    last = now
    return now
  }

  /// True if the thread may take its next step without reporting to its pool.
  @inline(__always)
  var isWithinInterval: Bool { turns < Self.turnsBetweenReports && last < nextReportAt }

  /// Reports returned bodies to the pool. Returns false if the thread must stop, and does so again in later calls. It
  /// must stop if several threads together end steps so fast that one would suffice, because they compete for the same
  /// memory.
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
