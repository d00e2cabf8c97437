import CFlowClock

/// A clock that one thread reads after every step. It uses the processor's counter, which takes a third of the time of
/// the system clock, and reads the system clock every few dozen microseconds.
///
/// It differs from ``RunClock`` by less than the system clock's jitter. Deadlines and the gate do not use it, because
/// they must never be early.
struct ThreadClock {
  private let clock: RunClock
  /// The values of the counter and of the system clock when the latter was last read.
  private var anchorCycles: UInt64
  private var anchorNanoseconds: Int
  /// The number of nanoseconds per tick, multiplied by 2³².
  private var rate: UInt64 = 0
  /// The number of ticks for which the counter is used before the system clock is read again, or 0 if the rate is not
  /// known.
  private var window: UInt64 = 0

  /// The number of ticks needed to determine the rate: about 20 µs at 3 GHz.
  private static let leastWindow: UInt64 = 1 << 16

  init(_ clock: RunClock) {
    self.clock = clock
    anchorCycles = flow_cycle_count()
    anchorNanoseconds = clock.now
  }

  /// The time since the start of the run, in nanoseconds.
  mutating func now() -> Int {
    // If the counter has decreased, for example after a move to another processor, the difference wraps around to a
    // huge number, so the system clock is read.
    let ticks = flow_cycle_count() &- anchorCycles
    return ticks < window ? anchorNanoseconds &+ Int(truncatingIfNeeded: (ticks &* rate) >> 32) : ask()
  }

  /// Reads the system clock, and determines the rate if enough time has passed.
  private mutating func ask() -> Int {
    let cycles = flow_cycle_count()
    let now = clock.now
    let ticks = cycles &- anchorCycles
    guard ticks >= Self.leastWindow else { return now }
    let nanoseconds = UInt64(max(0, now - anchorNanoseconds))
    // The two readings do not belong together if the thread was suspended between them.
    let isPair = flow_cycle_count() &- cycles < Self.leastWindow / 16
    let isSteady = clock.virtual == nil && isPair && nanoseconds > 0 && nanoseconds < 1 << 31 && ticks < 1 << 40
    rate = isSteady ? (nanoseconds << 32) / ticks : 0
    window = isSteady ? Self.leastWindow : 0
    (anchorCycles, anchorNanoseconds) = (cycles, now)
    return now
  }
}
