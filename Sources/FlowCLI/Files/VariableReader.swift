import FlowModel

struct VariableReader {
  private let bytes: [UInt8]
  private var position = 0
  private var line = 1

  init(_ text: String) {
    bytes = Array(text.utf8)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  private static let newline = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }
  private var isAtSpace: Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
  private var isAtLineEnd: Bool { byte == nil || byte == Self.newline || byte == Self.carriageReturn }

  private var restOfLine: String {
    let rest = bytes[position...].prefix { $0 != Self.newline && $0 != Self.carriageReturn }
    return String(String(decoding: rest, as: UTF8.self).prefix(40))
  }

  private mutating func skipSpaces() { while isAtSpace { position += 1 } }

  private mutating func skipLine() {
    while !isAtLineEnd { position += 1 }
    _ = takeLineEnd()
  }

  /// Skips a line break. Returns false if there is none at the current position.
  private mutating func takeLineEnd() -> Bool {
    guard let first = byte, isAtLineEnd else { return false }
    position += 1
    if first == Self.carriageReturn, byte == Self.newline { position += 1 }
    line += 1
    return true
  }

  /// Parses all variables. If a name is repeated, its last value is used.
  mutating func variables() throws(EnvironmentFile.LineProblem) -> ValueObject {
    var values = ValueObject()
    while position < bytes.count {
      skipSpaces()
      if isAtLineEnd || byte == UInt8(ascii: "#") {
        skipLine()
        continue
      }
      let start = position
      let export = Array("export ".utf8)
      if bytes[position...].starts(with: export) {
        position += export.count
        skipSpaces()
      }
      let name = bytes[position...].prefix {
        $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") && $0 != Self.newline
          && $0 != Self.carriageReturn
      }
      position += name.count
      guard byte == UInt8(ascii: "="), Self.isName(name) else {
        position = start
        throw EnvironmentFile.LineProblem(line: line, message: "expected NAME=value, found '\(restOfLine)'")
      }
      position += 1
      values[String(decoding: name, as: UTF8.self)] = .string(try value())
    }
    return values
  }

  private static func isName(_ name: ArraySlice<UInt8>) -> Bool {
    func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
    guard let first = name.first, !isDigit(first) else { return false }
    return name.allSatisfy {
      isDigit($0) || $0 == UInt8(ascii: "_") || $0 | 0x20 >= UInt8(ascii: "a") && $0 | 0x20 <= UInt8(ascii: "z")
    }
  }

  private mutating func value() throws(EnvironmentFile.LineProblem) -> String {
    skipSpaces()
    var value: [UInt8] = []
    guard let quote = byte, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      // Only after white space does a `#` begin a comment.
      while let next = byte, !isAtLineEnd {
        if next == UInt8(ascii: "#"), value.last.map({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) ?? true {
          break
        }
        value.append(next)
        position += 1
      }
      while let last = value.last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") { value.removeLast() }
      skipLine()
      return String(decoding: value, as: UTF8.self)
    }
    let first = line
    position += 1
    while let next = byte, next != quote {
      if takeLineEnd() {
        value.append(Self.newline)
        continue
      }
      position += 1
      guard next == UInt8(ascii: "\\"), quote == UInt8(ascii: "\""), let escaped = byte else {
        value.append(next)
        continue
      }
      if takeLineEnd() {
        value.append(Self.newline)
        continue
      }
      position += 1
      switch escaped {
      case UInt8(ascii: "n"): value.append(Self.newline)
      case UInt8(ascii: "t"): value.append(UInt8(ascii: "\t"))
      case UInt8(ascii: "r"): value.append(Self.carriageReturn)
      default: value.append(escaped)
      }
    }
    guard byte == quote else {
      let mark = String(decoding: [quote], as: UTF8.self)
      throw EnvironmentFile.LineProblem(line: first, message: "the quote \(mark) is never closed")
    }
    position += 1
    skipSpaces()
    guard isAtLineEnd || byte == UInt8(ascii: "#") else {
      throw EnvironmentFile.LineProblem(line: line, message: "'\(restOfLine)' follows the closing quote")
    }
    skipLine()
    return String(decoding: value, as: UTF8.self)
  }
}
