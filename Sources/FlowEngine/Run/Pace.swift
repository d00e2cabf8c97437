/// How fast a slot works through its steps, from one end to the next; on its thread's stack.
struct Pace {
  private var last: Int
  private var averageNanoseconds = 10_000
  private var turns = 0
  private var returnsSeen = 0

  init(now: Int) { last = now }

  /// Whether its steps are so short that another thread would cost more than it helps.
  var isShort: Bool { averageNanoseconds < SlotPool.shortNanoseconds }

  /// Notes the end of a step: an average that forgets, an eighth a step.
  mutating func note(_ now: Int) {
    averageNanoseconds += (now - last - averageNanoseconds) / 8
    last = now
  }

  /// Whether the slot takes another step. Of several slots that all work through short steps one is enough: the others
  /// only fetch each other's memory.
  mutating func keepsGoing(_ pool: SlotPool) -> Bool {
    turns += 1
    guard turns & 15 == 0 else { return true }
    let others = pool.returns &- returnsSeen &- 16
    returnsSeen = pool.returns
    return !(isShort && pool.busy > 1 && others > 8)
  }
}
