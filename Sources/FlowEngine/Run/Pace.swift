/// How fast a slot works through its steps, from one end to the next; on its thread's stack.
struct Pace {
  private var clock: SlotClock
  /// What a short step takes at most.
  private let shortNanoseconds: Int
  private var last: Int
  /// So high at first that some two dozen steps must be short before the slot takes it that the next are.
  private var averageNanoseconds: Int
  private var turns = 0
  private var notesBy: Int
  /// The pool's returns when it last heard of them; nil: not yet.
  private var returnsSeen: Int?
  private var isOneTooMany = false

  /// So many steps, or so much time, may pass before the pool hears that bodies have returned.
  private static let turnsBetweenNotes = 128
  private static let nanosecondsBetweenNotes = 20_000

  init(_ clock: SlotClock, shortNanoseconds: Int) {
    self.clock = clock
    self.shortNanoseconds = shortNanoseconds
    averageNanoseconds = 25 &* shortNanoseconds
    last = self.clock.now()
    notesBy = last &+ Self.nanosecondsBetweenNotes
  }

  /// Whether its steps are so short that another thread would cost more than it helps.
  var isShort: Bool { averageNanoseconds < shortNanoseconds }

  /// How many steps it works through in so much time.
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

  /// Whether the slot just takes the next step; now and then it asks the pool, with ``keepsGoing(_:)``.
  @inline(__always)
  var isMidway: Bool { turns < Self.turnsBetweenNotes && last < notesBy }

  /// Notes in the pool that bodies have returned, and tells whether the slot takes another step. Of several slots that
  /// together end steps faster than one alone would, one is enough: the others only fetch each other's memory. Once told
  /// to stop, it stops.
  mutating func keepsGoing(_ pool: inout SlotPool) -> Bool {
    if isOneTooMany { return false }
    pool.noteReturns(turns)
    let returns = pool.returns &- (returnsSeen ?? pool.returns)
    let elapsed = last &- (notesBy &- Self.nanosecondsBetweenNotes)
    isOneTooMany = pool.busy > 1 && returns > turns &+ turns / 2 && elapsed < returns &* (shortNanoseconds / 2)
    if isOneTooMany {
      pool.leaveAlone(until: last &+ Self.nanosecondsBetweenNotes)
      return false
    }
    returnsSeen = pool.returns
    turns = 0
    notesBy = last &+ Self.nanosecondsBetweenNotes
    return true
  }
}
