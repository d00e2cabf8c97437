/// The pace of a thread: the average time from one step's end to the next. Stored on the thread's stack.
struct Pace {
  private var clock: ThreadClock
  /// The maximum duration of a short step.
  private let shortNanoseconds: Int
  private var last: Int
  /// High at first, so that some two dozen steps must be short before the thread assumes that the next ones are.
  private var averageNanoseconds: Int
  private var turns = 0
  private var nextReportAt: Int
  /// The pool's count of returns at the last report, or nil before the first one.
  private var returnsSeen: Int?
  private var isSurplus = false

  /// The number of steps, and the time, between two reports of returned bodies to the pool.
  private static let turnsBetweenReports = 128
  private static let nanosecondsBetweenReports = 20_000

  init(_ clock: ThreadClock, shortNanoseconds: Int) {
    self.clock = clock
    self.shortNanoseconds = shortNanoseconds
    averageNanoseconds = 25 &* shortNanoseconds
    last = self.clock.now()
    nextReportAt = last &+ Self.nanosecondsBetweenReports
  }

  /// True if the steps are so short that another thread would cost more than it helps.
  var isShort: Bool { averageNanoseconds < shortNanoseconds }

  /// The number of steps that the thread can run in this time.
  func steps(inNanoseconds time: Int) -> Int { time / max(1, averageNanoseconds) }

  /// Records the end of a step and returns its time. The average is exponential; each step counts one eighth.
  @inline(__always)
  mutating func endStep() -> Int {
    let now = clock.now()
    turns &+= 1
    averageNanoseconds &+= (now &- last &- averageNanoseconds) >> 3
    last = now
    return now
  }

  /// True if the thread may take the next step without ``report(to:)``.
  @inline(__always)
  var isWithinInterval: Bool { turns < Self.turnsBetweenReports && last < nextReportAt }

  /// Reports the returned bodies to the pool, and returns true if the thread takes another step. If several threads
  /// together end steps so fast that one would suffice, the others stop, because they only compete for memory. A thread
  /// that was told to stop does not continue.
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
