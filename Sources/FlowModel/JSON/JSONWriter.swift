/// Writes values as JSON in UTF-8.
struct JSONWriter {
  let layout: JSONText.Layout
  let numbers: JSONText.Numbers

  func append(_ value: Value, to output: inout [UInt8], level: Int) {
    switch value {
    case .null: Self.append("null", to: &output)
    case .boolean(let flag): Self.append(flag ? "true" : "false", to: &output)
    case .integer(let integer): Self.append(integer: integer, to: &output)
    case .number(let number):
      if numbers == .javaScript, number == 0 || !number.isFinite {
        Self.append(number == 0 ? "0" : "null", to: &output)
      } else {
        Self.append(number: number, to: &output)
      }
    case .string(let text): append(string: text, to: &output)
    case .array(let elements):
      guard !elements.isEmpty else { return Self.append("[]", to: &output) }
      output.append(UInt8(ascii: "["))
      var isFirst = true
      for element in elements {
        separate(isFirst: isFirst, to: &output, level: level + 1)
        isFirst = false
        append(element, to: &output, level: level + 1)
      }
      close(UInt8(ascii: "]"), to: &output, level: level)
    case .object(let members):
      guard !members.isEmpty else { return Self.append("{}", to: &output) }
      output.append(UInt8(ascii: "{"))
      var isFirst = true
      for (key, member) in members {
        separate(isFirst: isFirst, to: &output, level: level + 1)
        isFirst = false
        append(string: key, to: &output)
        Self.append(layout == .indented ? ": " : ":", to: &output)
        append(member, to: &output, level: level + 1)
      }
      close(UInt8(ascii: "}"), to: &output, level: level)
    }
  }

  func separate(isFirst: Bool, to output: inout [UInt8], level: Int) {
    if !isFirst { output.append(UInt8(ascii: ",")) }
    if layout == .indented { appendLine(level: level, to: &output) }
  }

  func close(_ byte: UInt8, to output: inout [UInt8], level: Int) {
    if layout == .indented { appendLine(level: level, to: &output) }
    output.append(byte)
  }

  private func appendLine(level: Int, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\n"))
    for _ in 0..<level * 2 { output.append(UInt8(ascii: " ")) }
  }

  private static func append(_ text: StaticString, to output: inout [UInt8]) {
    output.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  static func append(integer: Int, to output: inout [UInt8]) {
    var text = String(integer)
    text.withUTF8 { output.append(contentsOf: $0) }
  }

  static func append(number: Double, to output: inout [UInt8]) {
    guard number.isFinite else {
      return append(number.isNaN ? "\"NaN\"" : number < 0 ? "\"-Infinity\"" : "\"Infinity\"", to: &output)
    }
    // A double without a fraction is written as an integer if its magnitude is at most 2^53. `-0` is not, because it
    // would lose its sign.
    if let integer = Int(exactly: number), integer.magnitude <= 1 << 53, integer != 0 || number.sign == .plus {
      return append(integer: integer, to: &output)
    }
    var text = number.description
    text.withUTF8 { output.append(contentsOf: $0) }
  }

  private func append(string: String, to output: inout [UInt8]) {
    Self.append(string: string, to: &output, escapesAllControls: numbers == .exact)
  }

  static func append(string: String, to output: inout [UInt8], escapesAllControls: Bool = true) {
    output.append(UInt8(ascii: "\""))
    var copy = string
    copy.withUTF8 { append(contentOf: $0, to: &output, escapesAllControls: escapesAllControls) }
    output.append(UInt8(ascii: "\""))
  }

  /// Appends the content of a UTF-8 string, with escapes but without quotes.
  static func append(
    contentOf bytes: UnsafeBufferPointer<UInt8>, to output: inout [UInt8], escapesAllControls: Bool
  ) {
    var runStart = 0
    for index in 0..<bytes.count {
      let byte = bytes[index]
      // One comparison finds most characters that need no escape.
      if byte &- 0x20 < 0x5F, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { continue }
      if byte >= 0x7F {
        guard escapesAllControls, let escape = highControl(at: index, in: bytes) else { continue }
        output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[runStart..<index]))
        runStart = index + escape.length
        appendEscape(of: escape.scalar, to: &output)
      } else {
        output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[runStart..<index]))
        runStart = index + 1
        appendEscape(of: byte, to: &output)
      }
    }
    output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[runStart...]))
  }

  /// Returns the control character from U+007F to U+009F at this index, or nil. All except U+007F have two bytes. JSON
  /// allows these characters, but terminals interpret them.
  private static func highControl(
    at index: Int, in bytes: UnsafeBufferPointer<UInt8>
  ) -> (scalar: UInt8, length: Int)? {
    let byte = bytes[index]
    if byte == 0x7F { return (byte, 1) }
    guard byte == 0xC2, index + 1 < bytes.count, bytes[index + 1] < 0xA0 else { return nil }
    return (bytes[index + 1], 2)
  }

  private static func appendEscape(of byte: UInt8, to output: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "\""): append("\\\"", to: &output)
    case UInt8(ascii: "\\"): append("\\\\", to: &output)
    case 0x08: append("\\b", to: &output)
    case 0x09: append("\\t", to: &output)
    case 0x0A: append("\\n", to: &output)
    case 0x0C: append("\\f", to: &output)
    case 0x0D: append("\\r", to: &output)
    default:
      append("\\u00", to: &output)
      for nibble in [byte >> 4, byte & 15] {
        output.append(nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10)
      }
    }
  }
}
