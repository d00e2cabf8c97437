/// The current date and time, and the formatting of times in milliseconds since 1970.
package enum WallTime {
  /// The current time in milliseconds since 1970.
  package static var now: Int { nanoseconds / 1_000_000 }

  /// The current time in nanoseconds since 1970.
  package static var nanoseconds: Int {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return now.tv_sec * 1_000_000_000 + now.tv_nsec
  }

  /// Formats a time in UTC, such as `2026-11-22T06:18:04Z`.
  package static func text(_ milliseconds: Int) -> String {
    var seconds = time_t(milliseconds / 1000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    return date(parts) + "T" + clock(parts) + "Z"
  }

  /// Formats a time in the local time zone, such as `2026-11-22 06:18:04`.
  package static func local(_ milliseconds: Int) -> String {
    var seconds = time_t(milliseconds / 1000)
    var parts = tm()
    localtime_r(&seconds, &parts)
    return date(parts) + " " + clock(parts)
  }

  private static func date(_ parts: tm) -> String {
    "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
  }

  private static func clock(_ parts: tm) -> String { "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))" }

  private static func two(_ number: CInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
