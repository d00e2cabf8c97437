import FlowModel

extension NodeTree {
  /// Returns the value of a scalar according to YAML 1.2's core schema. Aliases are resolved. Returns nil if the
  /// explicit tag does not match the text.
  func scalarValue(_ id: NodeID) -> Value? {
    let node = nodes[resolve(id)]
    let isPlain = node.style == .plain || node.style == .decodedPlain
    return withText(id) { bytes in
      switch node.tag {
      case .none: return isPlain ? CoreSchema.value(of: bytes) : .string(String(decoding: bytes, as: UTF8.self))
      case .string, .nonSpecific: return .string(String(decoding: bytes, as: UTF8.self))
      case .integer: return CoreSchema.integer(bytes)
      case .float: return CoreSchema.number(bytes) ?? CoreSchema.integer(bytes).flatMap(\.numberValue).map(Value.number)
      case .boolean: return CoreSchema.boolean(bytes)
      case .null: return CoreSchema.isNull(bytes) ? .null : nil
      case .map, .sequence: return nil
      }
    }
  }
}

/// YAML 1.2's core schema (chapter 10.3.2) for plain scalars, such as `true`, `null`, `12`, `0x1F`, `1.5e3` and `.inf`.
/// All other scalars are strings, including `yes`, `on` and `1_000`.
enum CoreSchema {
  static func value(of bytes: UnsafeBufferPointer<UInt8>) -> Value {
    guard let first = bytes.first else { return .null }
    switch first {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
      if let number = integer(bytes) ?? number(bytes) { return number }
    case UInt8(ascii: "t"), UInt8(ascii: "T"), UInt8(ascii: "f"), UInt8(ascii: "F"):
      if let value = boolean(bytes) { return value }
    case UInt8(ascii: "n"), UInt8(ascii: "N"), UInt8(ascii: "~"):
      if isNull(bytes) { return .null }
    default: break
    }
    return .string(String(decoding: bytes, as: UTF8.self))
  }

  static func isNull(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.isEmpty || `is`(bytes, "null") || `is`(bytes, "~") || `is`(bytes, "Null") || `is`(bytes, "NULL")
  }

  static func boolean(_ bytes: UnsafeBufferPointer<UInt8>) -> Value? {
    if `is`(bytes, "true") || `is`(bytes, "True") || `is`(bytes, "TRUE") { return .boolean(true) }
    if `is`(bytes, "false") || `is`(bytes, "False") || `is`(bytes, "FALSE") { return .boolean(false) }
    return nil
  }

  /// Parses `[-+]?[0-9]+`, `0o[0-7]+` or `0x[0-9a-fA-F]+`. A number that does not fit in 64 bits becomes a double.
  static func integer(_ bytes: UnsafeBufferPointer<UInt8>) -> Value? {
    guard !bytes.isEmpty else { return nil }
    if let short = shortInteger(bytes) { return .integer(short) }
    let text = String(decoding: bytes, as: UTF8.self)
    if bytes.count > 2, bytes[0] == UInt8(ascii: "0"), bytes[1] == UInt8(ascii: "x") || bytes[1] == UInt8(ascii: "o") {
      let radix = bytes[1] == UInt8(ascii: "x") ? 16 : 8
      let digits = bytes.dropFirst(2)
      guard digits.allSatisfy({ digit($0).map { $0 < radix } ?? false }) else { return nil }
      return Int(text.dropFirst(2), radix: radix).map(Value.integer)
        ?? .number(digits.reduce(0) { $0 * Double(radix) + Double(digit($1)!) })
    }
    let digits = bytes[0] == UInt8(ascii: "-") || bytes[0] == UInt8(ascii: "+") ? bytes.dropFirst() : bytes[...]
    guard !digits.isEmpty, digits.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else { return nil }
    return Int(text).map(Value.integer) ?? Double(text).map(Value.number)
  }

  /// Parses `[0-9]{1,18}`, the most common form.
  private static func shortInteger(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    guard bytes.count <= 18 else { return nil }
    var number = 0
    for byte in bytes {
      guard byte &- UInt8(ascii: "0") <= 9 else { return nil }
      number = number &* 10 &+ Int(byte &- UInt8(ascii: "0"))
    }
    return number
  }

  /// Parses `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`, `[-+]?\.(inf|Inf|INF)` or `\.(nan|NaN|NAN)`.
  static func number(_ bytes: UnsafeBufferPointer<UInt8>) -> Value? {
    var position = 0
    func byte() -> UInt8 { position < bytes.count ? bytes[position] : 0 }
    func digits() -> Int {
      let start = position
      while byte() >= UInt8(ascii: "0"), byte() <= UInt8(ascii: "9") { position += 1 }
      return position - start
    }
    guard !bytes.isEmpty else { return nil }
    let isNegative = byte() == UInt8(ascii: "-")
    let isSigned = isNegative || byte() == UInt8(ascii: "+")
    if isSigned { position += 1 }
    let rest = UnsafeBufferPointer(rebasing: bytes[position...])
    if `is`(rest, ".inf") || `is`(rest, ".Inf") || `is`(rest, ".INF") {
      return .number(isNegative ? -.infinity : .infinity)
    }
    if !isSigned, `is`(rest, ".nan") || `is`(rest, ".NaN") || `is`(rest, ".NAN") { return .number(.nan) }
    let whole = digits()
    var fraction = 0
    if byte() == UInt8(ascii: ".") {
      position += 1
      fraction = digits()
    }
    guard whole > 0 || fraction > 0 else { return nil }
    if byte() == UInt8(ascii: "e") || byte() == UInt8(ascii: "E") {
      position += 1
      if byte() == UInt8(ascii: "-") || byte() == UInt8(ascii: "+") { position += 1 }
      guard digits() > 0 else { return nil }
    }
    guard position == bytes.count else { return nil }
    var text = String(decoding: bytes, as: UTF8.self)
    if text.last == "." { text.removeLast() }
    return Double(text.replacingDotBeforeExponent()).map(Value.number)
  }

  private static func digit(_ byte: UInt8) -> Int? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte) - 48
    case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(byte) - 87
    case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(byte) - 55
    default: nil
    }
  }

  private static func `is`(_ bytes: UnsafeBufferPointer<UInt8>, _ word: StaticString) -> Bool {
    guard bytes.count == word.utf8CodeUnitCount else { return false }
    for index in 0..<bytes.count where bytes[index] != word.utf8Start[index] { return false }
    return true
  }
}

extension String {
  /// Returns the number without the period in forms such as `1.e3`, which the core schema allows but Swift's `Double`
  /// does not.
  fileprivate func replacingDotBeforeExponent() -> String {
    guard let dot = firstIndex(of: "."), index(after: dot) < endIndex else { return self }
    let next = self[index(after: dot)]
    return next == "e" || next == "E" ? String(self[..<dot]) + self[index(after: dot)...] : self
  }
}
