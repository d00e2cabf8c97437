/// Reads JSON in a single pass over the bytes.
///
/// A reader must not outlive its buffer. Every access is preceded by a check that `position < bytes.count`.
struct JSONReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let rules: JSONText.Rules
  private var position = 0
  private var depth = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>, rules: JSONText.Rules) {
    self.bytes = bytes
    self.rules = rules
  }

  /// Reads the whole text: one value that may be surrounded by white space.
  mutating func readText() throws(JSONProblem) -> Value {
    guard bytes.count <= rules.bytes else {
      throw problem("the text has \(bytes.count) bytes; at most \(rules.bytes) are read", at: 0)
    }
    // Skip the byte order mark that editors on Windows write. The lenient rules follow JavaScript's parser, which
    // rejects it.
    if !rules.isLenient, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    skipSpace()
    guard position < bytes.count else { throw problem("expected a value, found the end of the text") }
    let value = try readValue()
    skipSpace()
    guard position == bytes.count else { throw problem("expected the end of the text, found \(found)") }
    return value
  }

  private mutating func readValue() throws(JSONProblem) -> Value {
    guard position < bytes.count else { throw problem("expected a value, found the end of the text") }
    switch bytes[position] {
    case UInt8(ascii: "{"): return try readObject()
    case UInt8(ascii: "["): return try readArray()
    case UInt8(ascii: "\""): return .string(try readString())
    case UInt8(ascii: "t"): return try readWord("true", .boolean(true))
    case UInt8(ascii: "f"): return try readWord("false", .boolean(false))
    case UInt8(ascii: "n"): return try readWord("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try readNumber()
    case UInt8(ascii: "'"):
      throw problem("expected a value, found a single quote", help: "write JSON strings in double quotes")
    default: throw problem("expected a value, found \(found)")
    }
  }

  private mutating func readWord(_ word: StaticString, _ value: Value) throws(JSONProblem) -> Value {
    let length = word.utf8CodeUnitCount
    let start = position
    guard bytes.count - start >= length else { throw unknownWord(at: start) }
    for index in 0..<length where bytes[start + index] != word.utf8Start[index] { throw unknownWord(at: start) }
    position += length
    if position < bytes.count, Self.isWordByte(bytes[position]) { throw unknownWord(at: start) }
    return value
  }

  private func unknownWord(at start: Int) -> JSONProblem {
    let word = bytes[start...].prefix(20).prefix { Self.isWordByte($0) }
    return problem(
      "'\(String(decoding: word, as: UTF8.self))' is not a JSON value", at: start,
      help: "the only words are true, false and null")
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  // MARK: Arrays and objects

  private mutating func enter() throws(JSONProblem) {
    depth += 1
    guard depth <= rules.depth else { throw problem("arrays and objects nest deeper than \(rules.depth)") }
    position += 1
    skipSpace()
  }

  private mutating func readArray() throws(JSONProblem) -> Value {
    let start = position
    try enter()
    var elements: [Value] = []
    if !skip(UInt8(ascii: "]")) {
      while true {
        elements.append(try readValue())
        skipSpace()
        if skip(UInt8(ascii: "]")) { break }
        guard skip(UInt8(ascii: ",")) else { throw unclosed("an element", "]", openedAt: start) }
        skipSpace()
        if position < bytes.count, bytes[position] == UInt8(ascii: "]") {
          throw problem("expected a value after ',', found ']'", help: "remove the last comma")
        }
      }
    }
    depth -= 1
    return .array(elements)
  }

  private mutating func readObject() throws(JSONProblem) -> Value {
    let start = position
    try enter()
    var members = ValueObject()
    if !skip(UInt8(ascii: "}")) {
      while true {
        let keyStart = position
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
          throw problem("expected a key in double quotes, found \(found)")
        }
        let key = try readString()
        skipSpace()
        guard skip(UInt8(ascii: ":")) else { throw problem("expected ':' after the key '\(key)', found \(found)") }
        skipSpace()
        let value = try readValue()
        if !members.insert(value, for: key) {
          guard rules.isLenient else { throw problem("the key '\(key)' appears twice", at: keyStart) }
          members[key] = value
        }
        skipSpace()
        if skip(UInt8(ascii: "}")) { break }
        guard skip(UInt8(ascii: ",")) else { throw unclosed("a member", "}", openedAt: start) }
        skipSpace()
        if position < bytes.count, bytes[position] == UInt8(ascii: "}") {
          throw problem("expected a key after ',', found '}'", help: "remove the last comma")
        }
      }
    }
    depth -= 1
    return .object(members)
  }

  private func unclosed(_ what: String, _ close: String, openedAt start: Int) -> JSONProblem {
    let opened = JSONProblem("", at: start, in: bytes)
    let opener = close == "]" ? "[" : "{"
    return problem(
      "expected ',' or '\(close)' after \(what), found \(found)",
      help: position < bytes.count ? nil : "the '\(opener)' of line \(opened.line), column \(opened.column) is open")
  }

  // MARK: Strings

  private mutating func readString() throws(JSONProblem) -> String {
    let open = position
    position += 1
    let start = position
    var isASCII = true
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") {
        let content = UnsafeBufferPointer(rebasing: bytes[start..<position])
        if !isASCII { try checkUTF8(start..<position) }
        position += 1
        return String(decoding: content, as: UTF8.self)
      }
      if byte == UInt8(ascii: "\\") { return try readEscapedString(from: start, openedAt: open) }
      if byte < 0x20 { throw controlCharacter(byte) }
      if byte >= 0x80 { isASCII = false }
      position += 1
    }
    throw problem("the string is never closed", at: open)
  }

  private func controlCharacter(_ byte: UInt8) -> JSONProblem {
    let name: String? =
      switch byte {
      case 0x0A: "\\n"
      case 0x0D: "\\r"
      case 0x09: "\\t"
      default: nil
      }
    let escape = name ?? "\\u00" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    return problem("a string contains a control character", help: "write \(escape)")
  }

  /// Reads the rest of a string that contains escapes. `position` is at the first escape.
  private mutating func readEscapedString(from start: Int, openedAt open: Int) throws(JSONProblem) -> String {
    try checkUTF8(start..<position)
    var content = Array(bytes[start..<position])
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") {
        position += 1
        return String(decoding: content, as: UTF8.self)
      }
      if byte == UInt8(ascii: "\\") {
        try readEscape(into: &content)
        continue
      }
      let runStart = position
      while position < bytes.count, bytes[position] != UInt8(ascii: "\""), bytes[position] != UInt8(ascii: "\\") {
        if bytes[position] < 0x20 { throw controlCharacter(bytes[position]) }
        position += 1
      }
      try checkUTF8(runStart..<position)
      content.append(contentsOf: bytes[runStart..<position])
    }
    throw problem("the string is never closed", at: open)
  }

  private mutating func readEscape(into content: inout [UInt8]) throws(JSONProblem) {
    let start = position
    position += 1
    guard position < bytes.count else { throw problem("the string is never closed", at: start) }
    let byte = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(byte)
    case UInt8(ascii: "b"): content.append(0x08)
    case UInt8(ascii: "f"): content.append(0x0C)
    case UInt8(ascii: "n"): content.append(0x0A)
    case UInt8(ascii: "r"): content.append(0x0D)
    case UInt8(ascii: "t"): content.append(0x09)
    case UInt8(ascii: "u"): content.append(contentsOf: UTF8.encode(try readScalar(escapedAt: start))!)
    default:
      throw problem(
        "'\\\(Character(Unicode.Scalar(byte < 0x80 ? byte : 0x3F)))' is not an escape", at: start,
        help: #"the escapes are \" \\ \/ \b \f \n \r \t and \u with four hex digits"#)
    }
  }

  /// Reads a scalar from `\uXXXX`, or from two such escapes that form a surrogate pair. `position` is after the first
  /// `u`.
  private mutating func readScalar(escapedAt start: Int) throws(JSONProblem) -> Unicode.Scalar {
    let unit = try readHexDigits(escapedAt: start)
    if let scalar = Unicode.Scalar(unit) { return scalar }
    let next = position
    if unit < 0xDC00, bytes.count - next >= 2, bytes[next] == UInt8(ascii: "\\"), bytes[next + 1] == UInt8(ascii: "u") {
      position += 2
      let low = try readHexDigits(escapedAt: next)
      if (0xDC00...0xDFFF).contains(low) {
        return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))!
      }
      position = next
    }
    guard rules.isLenient else { throw problem("half a surrogate pair is not a character", at: start) }
    return "\u{FFFD}"
  }

  private mutating func readHexDigits(escapedAt start: Int) throws(JSONProblem) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard position < bytes.count, let digit = Self.hexDigit(bytes[position]) else {
        throw problem("expected four hex digits after \\u, found \(found)", at: start)
      }
      value = value << 4 | digit
      position += 1
    }
    return value
  }

  private static func hexDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }

  private func checkUTF8(_ range: Range<Int>) throws(JSONProblem) {
    guard let offset = UTF8Check.firstInvalidOffset(in: UnsafeBufferPointer(rebasing: bytes[range])) else { return }
    throw problem("the bytes are not valid UTF-8", at: range.lowerBound + offset)
  }

  // MARK: Numbers

  private mutating func readNumber() throws(JSONProblem) -> Value {
    let start = position
    let isNegative = skip(UInt8(ascii: "-"))
    guard position < bytes.count, Self.isDigit(bytes[position]) else {
      throw problem("expected a digit after '-', found \(found)")
    }
    if bytes[position] == UInt8(ascii: "0"), position + 1 < bytes.count, Self.isDigit(bytes[position + 1]) {
      throw problem("a number starts with a superfluous zero", at: start)
    }
    var digits = DecimalDigits()
    while position < bytes.count, Self.isDigit(bytes[position]) { digits.append(bytes[next()]) }
    var isWhole = true
    if skip(UInt8(ascii: ".")) {
      isWhole = false
      guard position < bytes.count, Self.isDigit(bytes[position]) else {
        throw problem("expected a digit after the decimal point, found \(found)")
      }
      while position < bytes.count, Self.isDigit(bytes[position]) { digits.appendFraction(bytes[next()]) }
    }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      isWhole = false
      position += 1
      let isExponentNegative = skip(UInt8(ascii: "-"))
      if !isExponentNegative { _ = skip(UInt8(ascii: "+")) }
      guard position < bytes.count, Self.isDigit(bytes[position]) else {
        throw problem("expected a digit in the exponent, found \(found)")
      }
      var exponent = 0
      while position < bytes.count, Self.isDigit(bytes[position]) {
        exponent = min(exponent * 10 + Int(bytes[next()] - UInt8(ascii: "0")), 100_000)
      }
      digits.exponent += isExponentNegative ? -exponent : exponent
    }
    if isWhole, let integer = digits.integer(isNegative: isNegative) { return .integer(integer) }
    if let exact = digits.exactDouble { return .number(isNegative ? -exact : exact) }
    let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
    let number = Double(text) ?? (digits.exponent < 0 ? 0 : .infinity) * (isNegative ? -1 : 1)
    guard number.isFinite || rules.isLenient else { throw problem("the number is too large for a double", at: start) }
    return .number(number)
  }

  private mutating func next() -> Int {
    defer { position += 1 }
    return position
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

  // MARK: Looking at bytes

  private mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }

  private mutating func skip(_ byte: UInt8) -> Bool {
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  /// A description of the character at the current position, for messages.
  private var found: String {
    guard position < bytes.count else { return "the end of the text" }
    let byte = bytes[position]
    if byte < 0x20 || byte == 0x7F { return "the control character \(byte)" }
    let character = String(decoding: bytes[position...].prefix(24), as: UTF8.self).first ?? "?"
    return "'\(character)'"
  }

  private func problem(_ message: String, at offset: Int? = nil, help: String? = nil) -> JSONProblem {
    JSONProblem(message, at: offset ?? position, in: bytes, help: help)
  }
}
