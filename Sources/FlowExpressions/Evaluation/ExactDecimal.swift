/// Compares a double exactly with a decimal number, by means of integers of any size.
enum ExactDecimal {
  /// The relation of the double to the decimal number.
  enum Order { case below, equal, above }

  /// Compares `number`, which must be positive and finite, with `d.ddd × 10^exponent`.
  static func order(of number: Double, toDigits digits: [UInt8], exponent: Int) -> Order {
    // number = significand × 2^binary, and decimal = whole × 10^power. A negative power is moved to the other side of
    // the comparison, so that both sides are integers.
    var left = Natural(number.significandBitPattern | (number.isNormal ? 1 << 52 : 0))
    var right = Natural(0)
    for digit in digits { right.multiply(by: 10, adding: UInt32(digit)) }
    let binary = (number.isNormal ? Int(number.exponentBitPattern) : 1) - 1075
    let power = exponent - (digits.count - 1)
    for _ in 0..<max(power, 0) { right.multiply(by: 10) }
    for _ in 0..<max(-power, 0) { left.multiply(by: 10) }
    for _ in 0..<max(binary, 0) { left.multiply(by: 2) }
    for _ in 0..<max(-binary, 0) { right.multiply(by: 2) }
    return left.words == right.words ? .equal : left.isLess(than: right) ? .below : .above
  }

  /// A natural number of any size. Its least significant word comes first.
  private struct Natural {
    var words: [UInt32]

    init(_ value: UInt64) {
      words = [UInt32(truncatingIfNeeded: value), UInt32(value >> 32)]
      trim()
    }

    mutating func multiply(by factor: UInt32, adding carry: UInt32 = 0) {
      var carry = UInt64(carry)
      for index in words.indices {
        let product = UInt64(words[index]) * UInt64(factor) + carry
        words[index] = UInt32(truncatingIfNeeded: product)
        carry = product >> 32
      }
      if carry > 0 { words.append(UInt32(carry)) }
    }

    func isLess(than other: Natural) -> Bool {
      words.count == other.words.count
        ? words.reversed().lexicographicallyPrecedes(other.words.reversed()) : words.count < other.words.count
    }

    private mutating func trim() { while words.last == 0 { words.removeLast() } }
  }
}
