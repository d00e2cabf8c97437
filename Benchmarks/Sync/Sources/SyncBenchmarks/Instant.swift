#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The machine's monotonic clock. All processes read the same time.
enum Instant {
  /// The nanoseconds since an arbitrary point in time.
  static var now: UInt64 { read(CLOCK_MONOTONIC) }

  /// The nanoseconds of processor time that this process has used.
  static var processor: UInt64 { read(CLOCK_PROCESS_CPUTIME_ID) }

  private static func read(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
