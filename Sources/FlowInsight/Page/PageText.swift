import FlowModel

/// Text inside a page: nothing that a file says can become markup, nor move anything.
package enum PageText {
  /// The text with what has a meaning in HTML escaped, and control characters made visible.
  package static func escaped(_ text: String) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count)
    for scalar in visible(text).unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The text as a part of an address: everything but letters and digits of ASCII and `-`, `.` and `_` is percent-encoded.
  package static func inAddress(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      let scalar = Unicode.Scalar(byte)
      if scalar.isASCII, scalar.properties.isAlphabetic || "0123456789-._".unicodeScalars.contains(scalar) {
        result.unicodeScalars.append(scalar)
      } else {
        result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return result
  }

  /// The text with control characters made visible.
  static func visible(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isInvisible) else { return text }
    var result = ""
    for scalar in text.unicodeScalars { result.unicodeScalars.append(isInvisible(scalar) ? "\u{FFFD}" : scalar) }
    return result
  }

  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    // What reverses the direction of text would make another name of a name.
    case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}", "\0"..."\u{1F}", "\u{7F}"..."\u{9F}": true
    default: false
    }
  }

  /// A value for the page's script, inside a `script` element of type JSON.
  package static func json(_ value: Value) -> String {
    "<script type=\"application/json\">"
      + JSONText.write(value).split(separator: "<", omittingEmptySubsequences: false).joined(separator: "\\u003c")
      + "</script>"
  }

  /// Nanoseconds as the microseconds that the script counts in.
  static func microseconds(_ nanoseconds: Int?) -> Value { nanoseconds.map { .integer($0 / 1_000) } ?? .null }

  /// A time as people read it.
  package static func time(_ nanoseconds: Int) -> String {
    let milliseconds = Double(nanoseconds) / 1_000_000
    if abs(milliseconds) < 9.95 { return fixed(milliseconds, 1) + " ms" }
    if abs(milliseconds) < 999.5 { return fixed(milliseconds, 0) + " ms" }
    return fixed(milliseconds / 1_000, 3) + " s"
  }

  /// A time that may never come.
  package static func time(_ nanoseconds: Int?) -> String { nanoseconds.map { time($0) } ?? "never" }

  /// A round time, without zeros behind its point.
  static func roundTime(_ nanoseconds: Int) -> String {
    guard nanoseconds >= 1_000_000 else { return nanoseconds == 0 ? "0" : "\(nanoseconds / 1_000) µs" }
    guard nanoseconds >= 1_000_000_000 else { return "\(nanoseconds / 1_000_000) ms" }
    var text = fixed(Double(nanoseconds) / 1e9, 3)
    while text.hasSuffix("0") { text.removeLast() }
    return (text.hasSuffix(".") ? String(text.dropLast()) : text) + " s"
  }

  /// A share in percent.
  package static func share(_ share: Double) -> String {
    let percent = share * 100
    return fixed(percent, percent == percent.rounded() ? 0 : 1) + " %"
  }

  /// A number with this many decimals, with a point whatever the place.
  package static func fixed(_ number: Double, _ decimals: Int) -> String {
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
