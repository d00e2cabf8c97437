/// Text inside a page: nothing that a file says can become markup, nor move anything.
enum PageText {
  /// The text with what has a meaning in HTML escaped, and control characters made visible.
  static func escaped(_ text: String) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      // What reverses the direction of text would make another name of a name.
      case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}", "\0"..."\u{1F}", "\u{7F}"..."\u{9F}": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// A time as people read it.
  static func time(_ nanoseconds: Int) -> String {
    let milliseconds = Double(nanoseconds) / 1_000_000
    if abs(milliseconds) < 9.95 { return fixed(milliseconds, 1) + " ms" }
    if abs(milliseconds) < 999.5 { return fixed(milliseconds, 0) + " ms" }
    return fixed(milliseconds / 1_000, 3) + " s"
  }

  /// A time that may never come.
  static func time(_ nanoseconds: Int?) -> String { nanoseconds.map { time($0) } ?? "never" }

  /// A share in percent.
  static func share(_ share: Double) -> String {
    let percent = share * 100
    return fixed(percent, percent == percent.rounded() ? 0 : 1) + " %"
  }

  /// A number with so many decimals, with a point whatever the place.
  static func fixed(_ number: Double, _ decimals: Int) -> String {
    guard number.isFinite, abs(number) < 1e15 else { return "–" }
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let scaled = Int((abs(number) * scale).rounded())
    let sign = number < 0 && scaled != 0 ? "-" : ""
    guard decimals > 0 else { return sign + String(scaled) }
    let fraction = String(scaled % Int(scale))
    return sign + String(scaled / Int(scale)) + "." + String(repeating: "0", count: decimals - fraction.count)
      + fraction
  }
}
