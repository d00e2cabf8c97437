/// Formats human-readable times, such as `0.4 ms`, `12 ms` or `2.000 s`.
package enum Milliseconds {
  package static func text(_ milliseconds: Double) -> String {
    let magnitude = abs(milliseconds)
    if magnitude < 9.95 { return fixed(milliseconds, 1) + " ms" }
    if magnitude < 999.5 { return fixed(milliseconds, 0) + " ms" }
    return fixed(milliseconds / 1000, 3) + " s"
  }

  /// Formats a time that changes continuously on the screen, such as `90 ms`, `1.1 s`, `2 min 5 s` or `1 h 3 min`.
  static func coarse(_ milliseconds: Double) -> String {
    if milliseconds < 999.5 { return fixed(milliseconds, 0) + " ms" }
    if milliseconds < 59_950 { return fixed(milliseconds / 1000, 1) + " s" }
    let seconds = Int((milliseconds / 1000).rounded())
    return seconds < 3600 ? "\(seconds / 60) min \(seconds % 60) s" : "\(seconds / 3600) h \(seconds / 60 % 60) min"
  }

  /// Formats the remaining time. The smallest unit is a second, as in `0.9 s` and `2 min 5 s`.
  static func countdown(_ milliseconds: Double) -> String {
    milliseconds < 59_950 ? fixed(milliseconds / 1000, 1) + " s" : coarse(milliseconds)
  }

  /// Formats a limit without unnecessary decimals, such as `2 s`, `1.5 s` or `300 ms`.
  static func limit(_ milliseconds: Double) -> String {
    let isWhole = milliseconds >= 1000 && milliseconds < 60_000 && milliseconds.remainder(dividingBy: 1000) == 0
    return isWhole ? fixed(milliseconds / 1000, 0) + " s" : coarse(milliseconds)
  }

  package static func fixed(_ number: Double, _ decimals: Int) -> String {
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let scaled = Int((abs(number) * scale).rounded())
    let sign = number < 0 && scaled != 0 ? "-" : ""
    guard decimals > 0 else { return sign + "\(scaled)" }
    let fraction = String(scaled % Int(scale))
    return sign + "\(scaled / Int(scale))." + String(repeating: "0", count: decimals - fraction.count) + fraction
  }
}
