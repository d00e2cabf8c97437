#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Measures the wall-clock time and the processor time of this process.
public struct Stopwatch {
  private let wall = Self.nanoseconds(CLOCK_MONOTONIC)
  private let processor = Self.nanoseconds(CLOCK_PROCESS_CPUTIME_ID)

  /// Starts the stopwatch.
  public init() {}

  /// Prints the outcome of the gate and the times since the start of the stopwatch. Then ends the process.
  public func finish(_ outcome: String) -> Never {
    let (wall, processor) = (wall, processor)
    let (wallNow, processorNow) = (Self.nanoseconds(CLOCK_MONOTONIC), Self.nanoseconds(CLOCK_PROCESS_CPUTIME_ID))
    print("{\"gate\":\"\(outcome)\",\"wall\":\(wallNow - wall),\"processor\":\(processorNow - processor)}")
    exit(0)
  }

  /// Returns the current time of a clock in nanoseconds.
  public static func nanoseconds(_ clock: clockid_t = CLOCK_MONOTONIC) -> Int {
    var time = timespec()
    clock_gettime(clock, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
