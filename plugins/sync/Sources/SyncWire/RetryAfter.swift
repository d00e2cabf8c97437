/// Parses the header `Retry-After`. Its value is a number of seconds, or a date in one of HTTP's three formats, such as
/// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 10.2.3 and 5.6.7).
enum RetryAfter {
  /// The longest pause in milliseconds: one day. If a server requests a longer one, the client tries again after a day.
  private static let longestMilliseconds: Int64 = 86_400_000

  /// Returns the pause in milliseconds, or nil if the value is invalid.
  static func milliseconds(_ header: String, nowMilliseconds now: Int64) -> Int64? {
    if let seconds = Int64(header), seconds >= 0 { return min(seconds, longestMilliseconds / 1000) * 1000 }
    guard let seconds = secondsSince1970(header, nowMilliseconds: now) else { return nil }
    return min(max(0, seconds * 1000 - now), longestMilliseconds)
  }

  /// Parses a date. Returns the number of seconds since 1970, or nil if the date is invalid.
  static func secondsSince1970(_ text: String, nowMilliseconds now: Int64) -> Int64? {
    let parts = text.split(separator: " ")
    let (day, month, year, time): (Substring, Substring, Substring, Substring)
    switch (parts.count, parts.last) {
    // Sun, 06 Nov 1994 08:49:37 GMT
    case (6, "GMT"): (day, month, year, time) = (parts[1], parts[2], parts[3], parts[4])
    // Sunday, 06-Nov-94 08:49:37 GMT
    case (4, "GMT"):
      let date = parts[1].split(separator: "-")
      guard date.count == 3 else { return nil }
      (day, month, year, time) = (date[0], date[1], date[2], parts[2])
    // Sun Nov  6 08:49:37 1994
    case (5, _): (day, month, year, time) = (parts[2], parts[1], parts[4], parts[3])
    default: return nil
    }
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let clock = time.split(separator: ":").map { Int64($0) ?? -1 }
    guard let month = months.firstIndex(of: String(month)), let day = Int64(day), (1...31).contains(day),
      let year = fullYear(year, nowMilliseconds: now), clock.count == 3, (0...23).contains(clock[0]),
      (0...59).contains(clock[1]), (0...60).contains(clock[2])
    else { return nil }
    return days(year, Int64(month) + 1, day) * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2]
  }

  /// Parses a year. A year of two digits is completed so that it is within 50 years of the current year. Returns nil
  /// for other years before 1970 and for invalid text.
  private static func fullYear(_ text: Substring, nowMilliseconds now: Int64) -> Int64? {
    guard let year = Int64(text), (0...9999).contains(year) else { return nil }
    guard text.count == 2 else { return year >= 1970 ? year : nil }
    let present = 1970 + now / 31_556_952_000
    let same = present / 100 * 100 + year
    return same > present + 50 ? same - 100 : same <= present - 50 ? same + 100 : same
  }

  /// Returns the number of days since 1970, computed with years that start in March (Hinnant, "chrono-Compatible
  /// Low-Level Date Algorithms").
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let (era, ofEra) = (shifted / 400, shifted % 400)
    let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
  }
}
