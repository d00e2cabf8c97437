/// Taking expressions out of the strings that hold them.
enum ExpressionText {
  /// The expression of `if`, `enabled` or `defer`: bare, or inside one `${{ }}`.
  static func bare(_ text: String) -> String {
    let bytes = Array(text.utf8)
    let range = bareRange(bytes)
    return String(decoding: bytes[range], as: UTF8.self)
  }

  /// Where the expression stands in its text: between the outer `${{` and `}}`, without the spaces around it.
  static func bareRange(_ bytes: [UInt8]) -> Range<Int> {
    var range = trimmed(bytes, 0..<bytes.count)
    if bytes[range].starts(with: Array("${{".utf8)), bytes[range].count >= 5,
      bytes[range].suffix(2).elementsEqual(Array("}}".utf8))
    {
      range = trimmed(bytes, range.lowerBound + 3..<range.upperBound - 2)
    }
    return range
  }

  private static func trimmed(_ bytes: [UInt8], _ range: Range<Int>) -> Range<Int> {
    var (lower, upper) = (range.lowerBound, range.upperBound)
    while lower < upper, isSpace(bytes[lower]) { lower += 1 }
    while upper > lower, isSpace(bytes[upper - 1]) { upper -= 1 }
    return lower..<upper
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
