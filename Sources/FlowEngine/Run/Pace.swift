/// How fast a slot works through its steps, from one end to the next; on its thread's stack.
struct Pace {
  private var clock: SlotClock
  private var last: Int
  private var averageNanoseconds = 10_000
  private var turns = 0
  private var returnsSeen = 0

  init(_ clock: SlotClock) {
    self.clock = clock
    last = self.clock.now()
  }

  /// Whether its steps are so short that another thread would cost more than it helps.
  var isShort: Bool { averageNanoseconds < SlotPool.shortNanoseconds }

  /// Notes the end of a step and tells its time: an average that forgets, an eighth a step.
  mutating func endStep() -> Int {
    let now = clock.now()
    averageNanoseconds &+= (now &- last &- averageNanoseconds) >> 3
    last = now
    return now
  }

  /// Whether the slot is in the middle of a series of sixteen short steps, and just takes the next.
  var isMidway: Bool {
    mutating get {
      turns &+= 1
      return turns < 16 && isShort
    }
  }

  /// Notes in the pool that bodies have returned, and tells whether the slot takes another step. Of several slots that
  /// all work through short steps one is enough: the others only fetch each other's memory.
  mutating func keepsGoing(_ pool: inout SlotPool) -> Bool {
    pool.noteReturns(turns)
    let others = pool.returns &- returnsSeen &- turns
    let isOneOfMany = isShort && pool.busy > 1 && others > turns / 2
    returnsSeen = pool.returns
    turns = 0
    return !isOneOfMany
  }
}
