import FlowDiagnostics
import FlowModel

/// Formats and escapes text for a page. Text from files can neither become markup nor change the layout.
package enum PageText {
  /// Returns the text as markup on one line. Control characters become visible.
  package static func escaped(_ text: String) -> String { markup(visible(text)) }

  /// Replaces the characters that are special in HTML with character references.
  private static func markup(_ text: String) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
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

  /// Returns the text for use in an attribute or form control. Every character is preserved, including line breaks.
  package static func value(_ text: String) -> String {
    var result = ""
    for scalar in markup(text).unicodeScalars {
      if scalar == "\n" || scalar == "\r" {
        result += "&#\(scalar.value);"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Returns the text for use in a URL. All bytes except ASCII letters, digits, `-`, `.` and `_` are percent-encoded.
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

  /// Returns multi-line text as markup. Line breaks, tabs and terminal colors are preserved.
  package static func lines(_ text: String) -> String {
    ColoredText.pieces(of: text).map { piece in
      let (names, text) = (classes(of: piece.look), markup(piece.text))
      return names.isEmpty ? text : "<span class=\"\(names)\">\(text)</span>"
    }.joined()
  }

  /// Returns the CSS classes of a text style, separated by spaces.
  package static func classes(of look: ColoredText.Look) -> String {
    ((look.color.map { ["c\($0)"] } ?? []) + (look.isBold ? ["strong"] : [])).joined(separator: " ")
  }

  /// Returns the text on one line without colors. Control characters become visible.
  package static func visible(_ text: String) -> String {
    TerminalText.visible(text.utf8.contains(0x1B) ? ColoredText.plain(text) : text)
  }

  /// Returns a `script` element that contains the value as JSON. `<` is escaped, so the value cannot end the element.
  package static func json(_ value: Value) -> String {
    "<script type=\"application/json\">"
      + JSONText.write(value).split(separator: "<", omittingEmptySubsequences: false).joined(separator: "\\u003c")
      + "</script>"
  }

  /// Converts nanoseconds to microseconds, the unit of the script.
  static func microseconds(_ nanoseconds: Int?) -> Value { nanoseconds.map { .integer($0 / 1_000) } ?? .null }

  package static func time(_ nanoseconds: Int) -> String {
    let milliseconds = Double(nanoseconds) / 1_000_000
    if abs(milliseconds) < 9.95 { return fixed(milliseconds, 1) + " ms" }
    if abs(milliseconds) < 999.5 { return fixed(milliseconds, 0) + " ms" }
    return fixed(milliseconds / 1_000, 3) + " s"
  }

  /// Formats a time. Nil becomes `never`.
  package static func time(_ nanoseconds: Int?) -> String { nanoseconds.map { time($0) } ?? "never" }

  /// Formats a time for a label of an axis, without trailing zeros.
  static func roundTime(_ nanoseconds: Int) -> String {
    guard nanoseconds >= 1_000_000 else { return nanoseconds == 0 ? "0" : "\(nanoseconds / 1_000) µs" }
    guard nanoseconds >= 1_000_000_000 else { return "\(nanoseconds / 1_000_000) ms" }
    var text = fixed(Double(nanoseconds) / 1e9, 3)
    while text.hasSuffix("0") { text.removeLast() }
    return (text.hasSuffix(".") ? String(text.dropLast()) : text) + " s"
  }

  /// Formats a share as a percentage.
  package static func share(_ share: Double) -> String {
    let percent = share * 100
    return fixed(percent, percent == percent.rounded() ? 0 : 1) + " %"
  }

  /// Formats a number with `decimals` decimals and a decimal point, in every locale. Returns `–` if the number is not
  /// finite or is too large.
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
