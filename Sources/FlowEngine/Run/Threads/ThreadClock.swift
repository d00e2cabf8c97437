import CFlowClock

/// The run's time for one thread, which reads it after every step. It uses the processor's counter, adjusted to the
/// system's clock every few dozen microseconds, at a third of the system clock's cost.
///
/// Its time differs from ``RunClock`` by less than the system clock's jitter within one window. Deadlines and the gate
/// never use it, because they must not be early.
struct ThreadClock {
  private let clock: RunClock
  /// The counter and the time at the last reading of the system's clock.
  private var anchorCycles: UInt64
  private var anchorNanoseconds: Int
  /// Nanoseconds per tick, times 2³².
  private var rate: UInt64 = 0
  /// The number of ticks after which the system's clock is read again. 0 until the rate is known.
  private var window: UInt64 = 0

  /// The minimum number of ticks to determine the rate: about 20 µs at 3 GHz.
  private static let leastWindow: UInt64 = 1 << 16

  init(_ clock: RunClock) {
    self.clock = clock
    anchorCycles = flow_cycle_count()
    anchorNanoseconds = clock.now
  }

  /// Nanoseconds since the start of the run.
  mutating func now() -> Int {
    // A counter that decreased, such as after a move to another processor, makes this value huge, so the system is
    // asked.
    let ticks = flow_cycle_count() &- anchorCycles
    return ticks < window ? anchorNanoseconds &+ Int(truncatingIfNeeded: (ticks &* rate) >> 32) : ask()
  }

  /// Reads the system's clock, and determines the rate again if enough time has passed.
  private mutating func ask() -> Int {
    let cycles = flow_cycle_count()
    let now = clock.now
    let ticks = cycles &- anchorCycles
    guard ticks >= Self.leastWindow else { return now }
    let nanoseconds = UInt64(max(0, now - anchorNanoseconds))
    // If the thread was suspended between the two readings, they do not belong together.
    let isPair = flow_cycle_count() &- cycles < Self.leastWindow / 16
    let isSteady = clock.virtual == nil && isPair && nanoseconds > 0 && nanoseconds < 1 << 31 && ticks < 1 << 40
    rate = isSteady ? (nanoseconds << 32) / ticks : 0
    window = isSteady ? Self.leastWindow : 0
    (anchorCycles, anchorNanoseconds) = (cycles, now)
    return now
  }
}
