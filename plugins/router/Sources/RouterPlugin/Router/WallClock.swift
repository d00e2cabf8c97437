import FlowPlatform

/// The wall clock. Unlike a run's clock, it continues between launches, so it can measure the age of stored routes.
public enum WallClock {
  /// Returns the number of milliseconds since 1970.
  public static func milliseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int(time.tv_sec) * 1_000 + Int(time.tv_nsec) / 1_000_000
  }
}
