import FlowModel

extension SeededGenerator {
  /// Returns a string of up to five characters that are often mishandled: quotes, backslashes, control characters and
  /// multibyte characters.
  package mutating func text() -> String {
    let scalars: [Unicode.Scalar] = [
      "a", "Z", "0", "\"", "\\", "/", "\n", "\u{1}", "é", "😀", "\u{2028}", "\u{7F}", " ",
    ]
    let count = Int.random(in: 0...5, using: &self)
    return String(String.UnicodeScalarView((0..<count).map { _ in pick(scalars) }))
  }

  /// Returns a random value with at most `depth` levels of nesting. All numbers are finite.
  package mutating func value(depth: Int) -> Value {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &self) {
    case 0: return .null
    case 1: return .boolean(chance(50))
    case 2: return .integer(Int(truncatingIfNeeded: next()) >> Int.random(in: 0..<64, using: &self))
    case 3:
      let number = Double(bitPattern: next())
      return .number(number.isFinite ? number : 0.5)
    case 4: return .number(Double(Int.random(in: -1000..<1000, using: &self)) / 8)
    case 5: return .string(text())
    case 6: return .array((0..<Int.random(in: 0..<5, using: &self)).map { _ in value(depth: depth - 1) })
    default:
      var members = ValueObject()
      for _ in 0..<Int.random(in: 0..<12, using: &self) { members[text()] = value(depth: depth - 1) }
      return .object(members)
    }
  }
}
