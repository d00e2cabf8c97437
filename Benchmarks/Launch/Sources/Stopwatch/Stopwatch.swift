#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Wall-clock and processor time of this process since it was made.
public struct Stopwatch {
  private let wall = Self.nanoseconds(CLOCK_MONOTONIC)
  private let processor = Self.nanoseconds(CLOCK_PROCESS_CPUTIME_ID)

  /// Starts.
  public init() {}

  /// Prints how the gate was decided and how long that took, and ends the process.
  public func finish(_ outcome: String) -> Never {
    let (wall, processor) = (wall, processor)
    let (wallNow, processorNow) = (Self.nanoseconds(CLOCK_MONOTONIC), Self.nanoseconds(CLOCK_PROCESS_CPUTIME_ID))
    print("{\"gate\":\"\(outcome)\",\"wall\":\(wallNow - wall),\"processor\":\(processorNow - processor)}")
    exit(0)
  }

  /// What a clock says.
  public static func nanoseconds(_ clock: clockid_t = CLOCK_MONOTONIC) -> Int {
    var time = timespec()
    clock_gettime(clock, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
