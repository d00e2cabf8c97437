#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What the header `Retry-After` asks for: seconds, or a date such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 10.2.3).
enum RetryAfter {
  /// A server that asks for more is asked again after a day.
  private static let longestMilliseconds: Int64 = 86_400_000

  /// The time to wait in milliseconds, nil for a header that says nothing.
  static func milliseconds(_ header: String, now: Date = Date()) -> Int64? {
    if let seconds = Int64(header), seconds >= 0 { return min(seconds, longestMilliseconds / 1000) * 1000 }
    guard let seconds = secondsSince1970(header) else { return nil }
    return min(max(0, seconds * 1000 - Int64(now.timeIntervalSince1970 * 1000)), longestMilliseconds)
  }

  private static func secondsSince1970(_ text: String) -> Int64? {
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", let day = Int64(parts[1]), let year = Int64(parts[3]) else { return nil }
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let clock = parts[4].split(separator: ":").compactMap { Int64($0) }
    guard let month = months.firstIndex(of: String(parts[2])), clock.count == 3, (1970...9999).contains(year),
      (1...31).contains(day), (0...23).contains(clock[0]), (0...59).contains(clock[1]), (0...60).contains(clock[2])
    else { return nil }
    return days(year, Int64(month) + 1, day) * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2]
  }

  /// Days since 1970, in years that begin in March (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let (era, ofEra) = (shifted / 400, shifted % 400)
    let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
  }
}
