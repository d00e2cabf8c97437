/// Converts between numbers and text as expressions do.
enum NumberText {
  // MARK: Reading

  /// Converts text to a number similarly to JavaScript's `Number`: surrounding white space is ignored, empty text is 0,
  /// and invalid text is NaN. Hexadecimal (`0xff`) and octal (`0o17`) numbers have a lowercase prefix and no sign.
  /// Binary numbers are invalid.
  static func number(from text: String) -> Double {
    let scalars = text.unicodeScalars
    guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { return 0 }
    let trimmed = text[first...last]
    if isDecimal(trimmed.utf8) { return Double(trimmed) ?? .nan }
    if trimmed.hasPrefix("0x") { return number(ofDigits: trimmed.utf8.dropFirst(2), radix: 16) }
    if trimmed.hasPrefix("0o") { return number(ofDigits: trimmed.utf8.dropFirst(2), radix: 8) }
    switch trimmed {
    case "Infinity", "+Infinity": return .infinity
    case "-Infinity": return -.infinity
    default: return .nan
    }
  }

  /// True if the text matches `[+-]? (digits [. digits?] | . digits) ([eE] [+-]? digits)?`.
  private static func isDecimal(_ text: Substring.UTF8View) -> Bool {
    var rest = text[...]
    func skipDigits() -> Int {
      let count = rest.prefix { $0 &- UInt8(ascii: "0") < 10 }.count
      rest = rest.dropFirst(count)
      return count
    }
    func skip(_ allowed: UInt8...) -> Bool {
      guard let byte = rest.first, allowed.contains(byte) else { return false }
      rest = rest.dropFirst()
      return true
    }
    _ = skip(UInt8(ascii: "+"), UInt8(ascii: "-"))
    var digits = skipDigits()
    if skip(UInt8(ascii: ".")) { digits += skipDigits() }
    guard digits > 0 else { return false }
    if skip(UInt8(ascii: "e"), UInt8(ascii: "E")) {
      _ = skip(UInt8(ascii: "+"), UInt8(ascii: "-"))
      guard skipDigits() > 0 else { return false }
    }
    return rest.isEmpty
  }

  private static func number(ofDigits digits: Substring.UTF8View.SubSequence, radix: Int) -> Double {
    guard !digits.isEmpty else { return .nan }
    var number = 0.0
    for byte in digits {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, digit < radix else { return .nan }
      number = number * Double(radix) + Double(digit)
    }
    return number
  }

  // MARK: Writing

  /// Returns a number as text with at most 15 significant digits, like .NET's `G15`. The exponent is omitted from
  /// 0.0001 up to, but not including, 1e15; otherwise it is written as in `1E+15` or `1.5E-05`. Both zeros are `0`. A
  /// number below 1e-307 has fewer digits if fewer are significant.
  static func text(of number: Double) -> String {
    guard number.isFinite else { return number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity" }
    guard number != 0 else { return "0" }
    if let integer = Int(exactly: number), integer.magnitude < 1_000_000_000_000_000 { return String(integer) }
    let (digits, exponent) = significantDigits(of: number.magnitude)
    return (number < 0 ? "-" : "") + lay(out: digits, exponent: exponent)
  }

  /// Returns at most 15 significant digits without trailing zeros, and the exponent of the first digit.
  private static func significantDigits(of number: Double) -> (digits: [UInt8], exponent: Int) {
    var (digits, exponent) = shortestDigits(of: number)
    guard digits.count > 15 else { return (digits, exponent) }
    // Rounding the shortest digits has the same result as rounding the double, unless the digits end exactly halfway.
    // In that case, the exact value of the double decides.
    let roundsUp: Bool
    if digits.count == 16 && digits[15] == 5 {
      switch ExactDecimal.order(of: number, toDigits: digits, exponent: exponent) {
      case .above: roundsUp = true
      case .below: roundsUp = false
      case .equal: roundsUp = digits[14] % 2 == 1
      }
    } else {
      roundsUp = digits[15] >= 5
    }
    digits.removeSubrange(15...)
    if roundsUp {
      var position = 14
      while position >= 0, digits[position] == 9 { position -= 1 }
      if position < 0 {
        digits = [1]
        exponent += 1
      } else {
        digits[position] += 1
        digits.removeSubrange((position + 1)...)
      }
    }
    while digits.count > 1, digits.last == 0 { digits.removeLast() }
    return (digits, exponent)
  }

  /// Returns the fewest digits that identify the double. They are taken from its description, such as `0.00012`,
  /// `123.0` or `1.2e-07`.
  private static func shortestDigits(of number: Double) -> (digits: [UInt8], exponent: Int) {
    var digits: [UInt8] = []
    var pointLocation: Int?
    var written = 0
    let parts = number.description.utf8.split(separator: UInt8(ascii: "e"))
    for byte in parts[0] {
      if byte == UInt8(ascii: ".") {
        pointLocation = digits.count
      } else {
        digits.append(byte - UInt8(ascii: "0"))
      }
    }
    if parts.count == 2 { written = Int(String(Substring(parts[1]))) ?? 0 }
    var exponent = (pointLocation ?? digits.count) - 1 + written
    let zeros = digits.prefix { $0 == 0 }.count
    digits.removeFirst(zeros)
    exponent -= zeros
    while digits.count > 1, digits.last == 0 { digits.removeLast() }
    return (digits, exponent)
  }

  private static func lay(out digits: [UInt8], exponent: Int) -> String {
    let text = digits.map { UInt8(ascii: "0") + $0 }
    let zero = UInt8(ascii: "0")
    let point = UInt8(ascii: ".")
    var bytes: [UInt8]
    if exponent < -4 || exponent >= 15 {
      bytes = [text[0]]
      if text.count > 1 { bytes += [point] + text[1...] }
      let magnitude = abs(exponent)
      bytes += [UInt8(ascii: "E"), exponent < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+")]
      bytes += (magnitude < 10 ? "0\(magnitude)" : "\(magnitude)").utf8
    } else if exponent < 0 {
      bytes = [zero, point] + [UInt8](repeating: zero, count: -exponent - 1) + text
    } else if text.count <= exponent + 1 {
      bytes = text + [UInt8](repeating: zero, count: exponent + 1 - text.count)
    } else {
      bytes = text[...exponent] + [point] + text[(exponent + 1)...]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
