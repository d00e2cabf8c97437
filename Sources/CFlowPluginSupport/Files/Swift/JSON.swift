// Converts between JSON and Swift's Codable types without Foundation. A program that imports nothing is compiled in a
// third of the time, and reads a call in a third of the time.

/// A JSON value. An input or output of any type has this type.
public enum JSON {
  case null
  case boolean(Bool)
  case integer(Int)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([(key: String, value: JSON)])

  /// The member with this name, or nil if there is none or the value is not an object.
  public subscript(name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    for member in members where member.key == name { return member.value }
    return nil
  }

  /// The string, or nil if the value is not one.
  public var text: String? { if case .string(let text) = self { text } else { nil } }

  /// The integer, or nil if the value is not one.
  public var integer: Int? { if case .integer(let integer) = self { integer } else { nil } }

  /// The kind of the value, for messages.
  var kind: String {
    switch self {
    case .null: "null"
    case .boolean: "true or false"
    case .integer, .number: "a number"
    case .string: "a string"
    case .array: "a list"
    case .object: "an object"
    }
  }
}

/// The error for a string that is not valid JSON.
struct JSONError: Error {
  var offset: Int
}

/// Reads one JSON text.
struct ValueReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0
  private var depth = 0

  /// Returns the value of a complete text.
  static func read(_ text: String) throws -> JSON {
    var text = text
    return try text.withUTF8 { bytes in
      var reader = ValueReader(bytes: bytes)
      let value = try reader.value()
      if reader.skipSpace() != nil { throw reader.error }
      return value
    }
  }

  private init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  private var error: JSONError { JSONError(offset: position) }

  /// Returns the next byte that is not white space, or nil at the end.
  private mutating func skipSpace() -> UInt8? {
    while position < bytes.count {
      let byte = bytes[position]
      if byte > 0x20 { return byte }
      position += 1
    }
    return nil
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    if skipSpace() != byte { return false }
    position += 1
    return true
  }

  private mutating func value() throws -> JSON {
    switch skipSpace() {
    case UInt8(ascii: "\"")?: return .string(try string())
    case UInt8(ascii: "{")?: return .object(try list(until: UInt8(ascii: "}")) { try $0.member() })
    case UInt8(ascii: "[")?: return .array(try list(until: UInt8(ascii: "]")) { try $0.value() })
    case UInt8(ascii: "t")?: return try word("true", .boolean(true))
    case UInt8(ascii: "f")?: return try word("false", .boolean(false))
    case UInt8(ascii: "n")?: return try word("null", .null)
    default: return try number()
    }
  }

  private mutating func member() throws -> (key: String, value: JSON) {
    guard skipSpace() == UInt8(ascii: "\"") else { throw error }
    let key = try string()
    guard take(UInt8(ascii: ":")) else { throw error }
    return (key, try value())
  }

  private mutating func list<Element>(
    until end: UInt8, _ element: (inout ValueReader) throws -> Element
  ) throws -> [Element] {
    position += 1
    depth += 1
    if depth > 500 { throw error }
    var elements: [Element] = []
    if !take(end) {
      repeat { elements.append(try element(&self)) } while take(UInt8(ascii: ","))
      if !take(end) { throw error }
    }
    depth -= 1
    return elements
  }

  private mutating func word(_ word: StaticString, _ value: JSON) throws -> JSON {
    let end = position + word.utf8CodeUnitCount
    guard end <= bytes.count else { throw error }
    for index in 0..<word.utf8CodeUnitCount where bytes[position + index] != word.utf8Start[index] { throw error }
    position = end
    return value
  }

  private mutating func number() throws -> JSON {
    let start = position
    while position < bytes.count, bytes[position] > 0x2A, bytes[position] != UInt8(ascii: ","),
      bytes[position] != UInt8(ascii: "]"), bytes[position] != UInt8(ascii: "}")
    {
      position += 1
    }
    let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
    if let integer = Int(text) { return .integer(integer) }
    guard let number = Double(text) else { throw error }
    return .number(number)
  }

  private mutating func string() throws -> String {
    position += 1
    let start = position
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") {
        position += 1
        return String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position - 1]), as: UTF8.self)
      }
      if byte == UInt8(ascii: "\\") { return try escapedString(from: start) }
      position += 1
    }
    throw error
  }

  private mutating func escapedString(from start: Int) throws -> String {
    var text = Array(bytes[start..<position])
    while position + 1 < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
      guard byte == UInt8(ascii: "\\") else {
        text.append(byte)
        continue
      }
      position += 1
      switch bytes[position - 1] {
      case UInt8(ascii: "n"): text.append(0x0A)
      case UInt8(ascii: "t"): text.append(0x09)
      case UInt8(ascii: "r"): text.append(0x0D)
      case UInt8(ascii: "b"): text.append(0x08)
      case UInt8(ascii: "f"): text.append(0x0C)
      case UInt8(ascii: "u"): text.append(contentsOf: String(Character(try scalar())).utf8)
      case let other: text.append(other)
      }
    }
    if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
      position += 1
      return String(decoding: text, as: UTF8.self)
    }
    throw error
  }

  /// Reads the character of a `\uXXXX`, or of two of them that form a surrogate pair.
  private mutating func scalar() throws -> Unicode.Scalar {
    let unit = try hexDigits()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    guard unit < 0xDC00, position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\") else { return "\u{FFFD}" }
    position += 2
    let low = try hexDigits()
    guard (0xDC00...0xDFFF).contains(low) else { return "\u{FFFD}" }
    return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)) ?? "\u{FFFD}"
  }

  private mutating func hexDigits() throws -> UInt32 {
    guard position + 4 <= bytes.count else { throw error }
    var unit: UInt32 = 0
    for byte in bytes[position..<position + 4] {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): unit = unit << 4 | UInt32(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): unit = unit << 4 | UInt32(byte - UInt8(ascii: "a") + 10)
      case UInt8(ascii: "A")...UInt8(ascii: "F"): unit = unit << 4 | UInt32(byte - UInt8(ascii: "A") + 10)
      default: throw error
      }
    }
    position += 4
    return unit
  }
}

extension JSON {
  /// Appends the value to `output` as JSON.
  func write(to output: inout [UInt8]) {
    switch self {
    case .null: Self.append("null", to: &output)
    case .boolean(let flag): Self.append(flag ? "true" : "false", to: &output)
    case .integer(let integer): Self.append(integer.description, to: &output)
    case .number(let number): Self.append(number.isFinite ? number.description : "null", to: &output)
    case .string(let text): Self.write(text, to: &output)
    case .array(let elements):
      output.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        element.write(to: &output)
      }
      output.append(UInt8(ascii: "]"))
    case .object(let members):
      output.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        Self.write(member.key, to: &output)
        output.append(UInt8(ascii: ":"))
        member.value.write(to: &output)
      }
      output.append(UInt8(ascii: "}"))
    }
  }

  @inline(never) private static func append(_ text: String, to output: inout [UInt8]) { output += text.utf8 }

  private static func write(_ text: String, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        output.append(UInt8(ascii: "\\"))
        output.append(byte)
      case 0..<0x20:
        append(byte < 16 ? "\\u000" : "\\u001", to: &output)
        output.append(byte & 15 < 10 ? UInt8(ascii: "0") + byte & 15 : UInt8(ascii: "a") + byte & 15 - 10)
      default: output.append(byte)
      }
    }
    output.append(UInt8(ascii: "\""))
  }
}
