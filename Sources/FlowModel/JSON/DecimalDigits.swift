/// The digits of a decimal number. They are exact if they fit in 64 bits.
struct DecimalDigits {
  /// The power of ten by which the digits are multiplied.
  var exponent = 0
  private var significand: UInt64 = 0
  private var isExact = true

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
  ]

  mutating func append(_ byte: UInt8) {
    let (scaled, overflow) = significand.multipliedReportingOverflow(by: 10)
    let (sum, sumOverflow) = scaled.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
    if overflow || sumOverflow { isExact = false }
    significand = sum
  }

  mutating func appendFraction(_ byte: UInt8) {
    append(byte)
    exponent -= 1
  }

  /// Returns the number as an integer. Returns nil if it exceeds 64 bits or is `-0`, which only a double can represent.
  func integer(isNegative: Bool) -> Int? {
    guard isExact else { return nil }
    guard isNegative else { return Int(exactly: significand) }
    guard significand > 0, significand <= UInt64(Int.max) + 1 else { return nil }
    return Int(truncatingIfNeeded: 0 &- significand)
  }

  /// The number as a double, or nil if multiplying or dividing two exact doubles once might not give the nearest double
  /// (Clinger 1990).
  var exactDouble: Double? {
    guard isExact, significand <= 1 << 53 else { return nil }
    switch exponent {
    case 0...22: return Double(significand) * Self.powersOfTen[exponent]
    case -22 ... -1: return Double(significand) / Self.powersOfTen[-exponent]
    default: return significand == 0 ? 0 : nil
    }
  }
}
