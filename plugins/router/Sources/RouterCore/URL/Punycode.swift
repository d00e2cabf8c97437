/// A decoder for the labels of internationalized host names (RFC 3492).
enum Punycode {
  private static let base: UInt32 = 36
  private static let thresholdMinimum: UInt32 = 1
  private static let thresholdMaximum: UInt32 = 26

  /// Decodes the text after `xn--`. Returns nil if it is not valid Punycode.
  static func decode(_ text: Substring) -> String? {
    var scalars: [Unicode.Scalar] = []
    var digits = text.utf8
    if let hyphen = text.utf8.lastIndex(of: UInt8(ascii: "-")) {
      scalars = text[..<hyphen].unicodeScalars.map { $0 }
      digits = text.utf8[text.utf8.index(after: hyphen)...]
    }
    guard !digits.isEmpty, scalars.allSatisfy(\.isASCII) else { return nil }
    var codePoint: UInt32 = 128
    var position: UInt32 = 0
    var bias: UInt32 = 72
    while !digits.isEmpty {
      let start = position
      guard let advanced = delta(from: &digits, bias: bias, into: position) else { return nil }
      position = advanced
      let count = UInt32(scalars.count) + 1
      bias = adapted(position - start, count: count, isFirst: start == 0)
      let (next, overflow) = codePoint.addingReportingOverflow(position / count)
      guard !overflow, let scalar = Unicode.Scalar(next), !scalar.isASCII else { return nil }
      codePoint = next
      position %= count
      scalars.insert(scalar, at: Int(position))
      position += 1
    }
    return String(String.UnicodeScalarView(scalars)).lowercased()
  }

  /// Reads one variable-length integer and returns it added to `position`. Returns nil if a digit is invalid, digits
  /// are missing, or the sum overflows.
  private static func delta(from digits: inout Substring.UTF8View, bias: UInt32, into position: UInt32) -> UInt32? {
    var result = position
    var weight: UInt32 = 1
    var place = base
    while true {
      guard let byte = digits.popFirst(), let digit = value(of: byte) else { return nil }
      let (product, tooLarge) = digit.multipliedReportingOverflow(by: weight)
      let (sum, overflow) = result.addingReportingOverflow(product)
      guard !tooLarge, !overflow else { return nil }
      result = sum
      let threshold =
        place <= bias ? thresholdMinimum : Swift.min(thresholdMaximum, Swift.max(thresholdMinimum, place - bias))
      if digit < threshold { return result }
      let (heavier, exhausted) = weight.multipliedReportingOverflow(by: base - threshold)
      guard !exhausted else { return nil }
      weight = heavier
      place += base
    }
  }

  private static func value(of byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a"))
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 26
    default: nil
    }
  }

  private static func adapted(_ delta: UInt32, count: UInt32, isFirst: Bool) -> UInt32 {
    var delta = isFirst ? delta / 700 : delta / 2
    delta += delta / count
    var steps: UInt32 = 0
    while delta > (base - thresholdMinimum) * thresholdMaximum / 2 {
      delta /= base - thresholdMinimum
      steps += base
    }
    return steps + (base - thresholdMinimum + 1) * delta / (delta + 38)
  }
}
