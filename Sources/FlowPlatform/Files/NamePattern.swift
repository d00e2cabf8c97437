/// One part of a file pattern, between two slashes, in which `*`, `?` and `[…]` match characters of a name.
///
/// A character after a NUL is literal.
package struct NamePattern: Sendable, Hashable {
  private enum Token: Sendable, Hashable {
    case byte(UInt8)
    case anyCharacter
    case anyText
    case oneOf([ClosedRange<UInt32>], isNegated: Bool)
  }

  /// The name without quoting characters if all characters are literal, or nil if the part may match several names.
  let name: String?
  /// True if the part is `**`, which matches any number of folders.
  let isFolders: Bool
  /// The text from which this part was created.
  let text: String
  private let tokens: [Token]
  /// True if the part starts with a dot. Other parts do not match names that start with one.
  private let mayMatchDot: Bool

  /// Creates a part that contains no alternatives. If its syntax is invalid, the text matches only itself.
  init(_ text: String) {
    let tokens = (try? Self.tokens(Array(text.utf8))) ?? text.utf8.map { .byte($0) }
    self.init(text, tokens)
  }

  /// Creates a part that contains no alternatives. Throws an error if its syntax is invalid.
  init(checking text: String) throws(PatternProblem) { self.init(text, try Self.tokens(Array(text.utf8))) }

  private init(_ text: String, _ tokens: [Token]) {
    self.text = text
    self.tokens = tokens
    isFolders = text == "**"
    mayMatchDot = tokens.first == .byte(UInt8(ascii: "."))
    var bytes: [UInt8] = []
    var isName = true
    for token in tokens { if case .byte(let byte) = token { bytes.append(byte) } else { isName = false } }
    name = isName ? String(decoding: bytes, as: UTF8.self) : nil
  }

  /// The part `*`. It matches the files below the folders if a pattern ends with `**`.
  static let anyName = NamePattern("*")

  static func isNegation(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "!") || byte == UInt8(ascii: "^") }

  private static func tokens(_ bytes: [UInt8]) throws(PatternProblem) -> [Token] {
    var tokens: [Token] = []
    var position = 0
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case 0:
        if position < bytes.count { tokens.append(.byte(bytes[position])) }
        position += 1
      case UInt8(ascii: "*"): if tokens.last != .anyText { tokens.append(.anyText) }
      case UInt8(ascii: "?"): tokens.append(.anyCharacter)
      case UInt8(ascii: "["): tokens.append(try characterClass(bytes, &position))
      default: tokens.append(.byte(byte))
      }
    }
    return tokens
  }

  private static func characterClass(_ bytes: [UInt8], _ position: inout Int) throws(PatternProblem) -> Token {
    var isNegated = false
    if position < bytes.count, isNegation(bytes[position]) {
      isNegated = true
      position += 1
    }
    var characters: [(value: UInt32, isQuoted: Bool)] = []
    while true {
      guard position < bytes.count else { throw .unmatched("[") }
      if bytes[position] == UInt8(ascii: "]"), !characters.isEmpty { break }
      let isQuoted = bytes[position] == 0
      if isQuoted { position += 1 }
      guard position < bytes.count else { throw .unmatched("[") }
      characters.append((bytes.withUnsafeBytes { Self.character(in: $0, &position) }, isQuoted))
    }
    position += 1
    var ranges: [ClosedRange<UInt32>] = []
    var index = 0
    while index < characters.count {
      let first = characters[index].value
      if index + 2 < characters.count, characters[index + 1] == (UInt32(UInt8(ascii: "-")), false) {
        let last = characters[index + 2].value
        guard first <= last else {
          let ends = [first, last].map { Unicode.Scalar($0).map(String.init) ?? "?" }
          throw .wrongRange("\(ends[0])-\(ends[1])")
        }
        ranges.append(first...last)
        index += 3
      } else {
        ranges.append(first...first)
        index += 1
      }
    }
    return .oneOf(ranges, isNegated: isNegated)
  }

  /// Returns the character at a position and advances the position. An invalid byte counts as one character.
  private static func character(in bytes: UnsafeRawBufferPointer, _ position: inout Int) -> UInt32 {
    let first = bytes[position]
    position += 1
    let count = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0
    var value = UInt32(count == 0 ? first : first & (0x3F >> UInt8(count)))
    for _ in 0..<count where position < bytes.count && bytes[position] & 0xC0 == 0x80 {
      value = value << 6 | UInt32(bytes[position] & 0x3F)
      position += 1
    }
    return value
  }

  /// Returns patterns for complete paths, in which `*` also matches slashes. They match at least the files that the
  /// file pattern matches.
  package static func ofWholePaths(_ text: String) -> [NamePattern] {
    FilePattern(text).alternatives.map { alternative in
      let parts = alternative.tidy.map(\.text).joined(separator: "/")
      return NamePattern("/" + parts.replacing("**/", with: "*"))
    }
  }

  package func matches(_ name: String) -> Bool {
    var name = name
    return name.withUTF8 { matches(UnsafeRawBufferPointer($0)) }
  }

  /// True if the pattern matches the bytes of a name. The matching backtracks only to the last `*`. The time is at most
  /// proportional to the length of the name times the length of the pattern.
  func matches(_ name: UnsafeRawBufferPointer) -> Bool {
    if name.first == UInt8(ascii: "."), !mayMatchDot { return false }
    var (position, token) = (0, 0)
    var retry: (position: Int, token: Int)?
    while position < name.count {
      if token < tokens.count {
        switch tokens[token] {
        case .anyText:
          token += 1
          retry = (position, token)
          continue
        case .byte(let byte):
          if name[position] == byte {
            (position, token) = (position + 1, token + 1)
            continue
          }
        case .anyCharacter:
          _ = Self.character(in: name, &position)
          token += 1
          continue
        case .oneOf(let ranges, let isNegated):
          var next = position
          let value = Self.character(in: name, &next)
          if ranges.contains(where: { $0.contains(value) }) != isNegated {
            (position, token) = (next, token + 1)
            continue
          }
        }
      }
      guard let last = retry else { return false }
      var next = last.position
      _ = Self.character(in: name, &next)
      retry = (next, last.token)
      (position, token) = (next, last.token)
    }
    return tokens[token...].allSatisfy { $0 == .anyText }
  }
}
