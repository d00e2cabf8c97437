import CFlowClock

/// The run's time as one thread reads it, after every step: by the processor's counter, checked against the system's
/// clock every few dozen microseconds, at a third of the system clock's cost.
///
/// What it says differs from ``RunClock`` by less than the system clock's own jitter within one window. Deadlines and
/// the gate never use it: what must not come early asks the system.
struct ThreadClock {
  private let clock: RunClock
  /// The counter and the time when the system was last asked.
  private var anchorCycles: UInt64
  private var anchorNanoseconds: Int
  /// Nanoseconds a tick, times 2³².
  private var rate: UInt64 = 0
  /// Ticks after which the system is asked again; 0 until the rate is known.
  private var window: UInt64 = 0

  /// Ticks that are enough to learn the rate from: some twenty microseconds on a processor of 3 GHz.
  private static let leastWindow: UInt64 = 1 << 16

  init(_ clock: RunClock) {
    self.clock = clock
    anchorCycles = flow_cycle_count()
    anchorNanoseconds = clock.now
  }

  /// Nanoseconds since the start of the run.
  mutating func now() -> Int {
    // A counter that went back, as after a move to another processor, makes this huge: the system is asked.
    let ticks = flow_cycle_count() &- anchorCycles
    return ticks < window ? anchorNanoseconds &+ Int(truncatingIfNeeded: (ticks &* rate) >> 32) : ask()
  }

  /// Asks the system, and learns the rate again when enough time has passed.
  private mutating func ask() -> Int {
    let cycles = flow_cycle_count()
    let now = clock.now
    let ticks = cycles &- anchorCycles
    guard ticks >= Self.leastWindow else { return now }
    let nanoseconds = UInt64(max(0, now - anchorNanoseconds))
    // A thread that was put aside between the two readings has a pair that does not belong together.
    let isPair = flow_cycle_count() &- cycles < Self.leastWindow / 16
    let isSteady = clock.virtual == nil && isPair && nanoseconds > 0 && nanoseconds < 1 << 31 && ticks < 1 << 40
    rate = isSteady ? (nanoseconds << 32) / ticks : 0
    window = isSteady ? Self.leastWindow : 0
    (anchorCycles, anchorNanoseconds) = (cycles, now)
    return now
  }
}
