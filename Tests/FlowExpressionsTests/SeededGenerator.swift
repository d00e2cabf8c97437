import FlowModel

/// A generator of values that a seed determines (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  mutating func text() -> String {
    let scalars: [Unicode.Scalar] = [
      "a", "Z", "0", "\"", "\\", "/", "\n", "\u{1}", "é", "😀", "\u{2028}", "\u{7F}", " ",
    ]
    return String(String.UnicodeScalarView((0..<below(6)).map { _ in scalars[below(scalars.count)] }))
  }

  mutating func value(depth: Int) -> Value {
    switch below(depth > 0 ? 8 : 6) {
    case 0: return .null
    case 1: return .boolean(below(2) == 0)
    case 2: return .integer(Int(truncatingIfNeeded: next()) >> below(64))
    case 3:
      let number = Double(bitPattern: next())
      return .number(number.isFinite ? number : 0.5)
    case 4: return .number(Double(below(2000) - 1000) / 8)
    case 5: return .string(text())
    case 6: return .array((0..<below(5)).map { _ in value(depth: depth - 1) })
    default:
      var members = ValueObject()
      for _ in 0..<below(12) { members[text()] = value(depth: depth - 1) }
      return .object(members)
    }
  }
}
