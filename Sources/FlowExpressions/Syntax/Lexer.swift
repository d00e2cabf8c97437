/// Splits an expression into tokens.
struct Lexer {
  /// The maximum length of an expression, in UTF-16 units.
  static let longestSource = 21_000

  private let bytes: [UInt8]
  private var position = 0
  private var tokens: [Token] = []

  static func tokens(of source: String) throws(ExpressionError) -> [Token] {
    guard source.utf8.count <= longestSource || source.utf16.count <= longestSource else {
      throw ExpressionError(
        .lexing, "Exceeded max expression length \(longestSource)", offset: 0, length: 0,
        help: "compute parts of it in steps of their own")
    }
    var lexer = Lexer(bytes: Array(source.utf8))
    try lexer.run()
    return lexer.tokens
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func run() throws(ExpressionError) {
    while position < bytes.count {
      if let length = Self.spaceLength(at: position, in: bytes) {
        position += length
        continue
      }
      try readToken()
    }
  }

  private mutating func readToken() throws(ExpressionError) {
    switch bytes[position] {
    case UInt8(ascii: "("): append(.leftParenthesis, 1)
    case UInt8(ascii: ")"): append(.rightParenthesis, 1)
    case UInt8(ascii: "["): append(.leftBracket, 1)
    case UInt8(ascii: "]"): append(.rightBracket, 1)
    case UInt8(ascii: ","): append(.comma, 1)
    case UInt8(ascii: "*"): append(.star, 1)
    case UInt8(ascii: "!"): isNext("=") ? append(.comparison(.notEqual), 2) : append(.not, 1)
    case UInt8(ascii: "<"): isNext("=") ? append(.comparison(.lessOrEqual), 2) : append(.comparison(.less), 1)
    case UInt8(ascii: ">"): isNext("=") ? append(.comparison(.greaterOrEqual), 2) : append(.comparison(.greater), 1)
    case UInt8(ascii: "="):
      guard isNext("=") else { throw unexpectedRun(help: "equality is '=='") }
      append(.comparison(.equal), 2)
    case UInt8(ascii: "&"):
      guard isNext("&") else { throw unexpectedRun(help: "'and' is '&&'") }
      append(.and, 2)
    case UInt8(ascii: "|"):
      guard isNext("|") else { throw unexpectedRun(help: "'or' is '||'") }
      append(.or, 2)
    case UInt8(ascii: "'"): try readString()
    case UInt8(ascii: "."): if dotDereferences { append(.dot, 1) } else { try readNumber() }
    case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try readNumber()
    default: try readWord()
    }
  }

  private mutating func append(_ kind: Token.Kind, _ length: Int) {
    tokens.append(Token(kind: kind, range: position..<position + length))
    position += length
  }

  private func isNext(_ character: Unicode.Scalar) -> Bool {
    position + 1 < bytes.count && bytes[position + 1] == UInt8(ascii: character)
  }

  /// True if a dot at the current position accesses a member of the previous token. Otherwise, the dot begins a number.
  private var dotDereferences: Bool {
    switch tokens.last?.kind {
    case .identifier, .rightBracket, .rightParenthesis, .star: true
    default: false
    }
  }

  private mutating func readNumber() throws(ExpressionError) {
    var end = position + 1
    while end < bytes.count, bytes[end] == UInt8(ascii: ".") || !Self.isBoundary(at: end, in: bytes) { end += 1 }
    let text = String(decoding: bytes[position..<end], as: UTF8.self)
    let number = NumberText.number(from: text)
    guard !number.isNaN else {
      let startsWithSign = text.first == "-" || text.first == "+"
      throw unexpected(
        upTo: end,
        help: startsWithSign || text.contains(where: { "+-*/%".contains($0) })
          ? ForeignWords.noArithmetic + "; numbers are written 12, -0.5, 1e3, 0xff or 0o17"
          : "numbers are written 12, -0.5, 1e3, 0xff or 0o17")
    }
    append(.number(number), end - position)
  }

  private mutating func readString() throws(ExpressionError) {
    var end = position + 1
    while end < bytes.count {
      if bytes[end] == UInt8(ascii: "'") {
        guard end + 1 < bytes.count, bytes[end + 1] == UInt8(ascii: "'") else {
          return append(.string, end + 1 - position)
        }
        end += 1
      }
      end += 1
    }
    throw unexpected(upTo: bytes.count, help: "the string is never closed; a quote inside a string is written ''")
  }

  private mutating func readWord() throws(ExpressionError) {
    let end = runEnd()
    let word = bytes[position..<end]
    guard Self.isIdentifier(word) else {
      let help: String? =
        switch bytes[position] {
        case UInt8(ascii: "\""): "write strings in single quotes: 'text'"
        case UInt8(ascii: "$"): "inside an expression there is no ${{ }}"
        case UInt8(ascii: "/"), UInt8(ascii: "%"), UInt8(ascii: "^"): ForeignWords.noArithmetic
        default: nil
        }
      throw unexpected(upTo: end, help: help)
    }
    append(tokens.last?.kind == .dot ? .identifier : Self.kind(ofWord: word), end - position)
  }

  private static func kind(ofWord word: ArraySlice<UInt8>) -> Token.Kind {
    if word.elementsEqual("true".utf8) { return .boolean(true) }
    if word.elementsEqual("false".utf8) { return .boolean(false) }
    if word.elementsEqual("null".utf8) { return .null }
    if word.elementsEqual("NaN".utf8) { return .number(.nan) }
    if word.elementsEqual("Infinity".utf8) { return .number(.infinity) }
    return .identifier
  }

  /// Returns the end of the word at the current position, which has at least one character.
  private func runEnd() -> Int {
    var end = position + 1
    while end < bytes.count, !Self.isBoundary(at: end, in: bytes) { end += 1 }
    return end
  }

  private func unexpectedRun(help: String) -> ExpressionError { unexpected(upTo: runEnd(), help: help) }

  private func unexpected(upTo end: Int, help: String?) -> ExpressionError {
    let text = String(decoding: bytes[position..<end], as: UTF8.self)
    return ExpressionError(
      .lexing, "Unexpected symbol: '\(text)'", offset: position, length: end - position, help: help)
  }

  // MARK: Characters

  private static func isBoundary(at position: Int, in bytes: [UInt8]) -> Bool {
    switch bytes[position] {
    case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ","),
      UInt8(ascii: "."), UInt8(ascii: "!"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "="),
      UInt8(ascii: "&"), UInt8(ascii: "|"):
      true
    default: spaceLength(at: position, in: bytes) != nil
    }
  }

  /// Returns the length in bytes of the white space (Unicode's `White_Space`) at this position, or nil if there is
  /// none.
  private static func spaceLength(at position: Int, in bytes: [UInt8]) -> Int? {
    switch bytes[position] {
    case 0x20, 0x09...0x0D: return 1
    case 0xC2:
      // U+0085 (next line) and U+00A0 (no-break space).
      guard position + 1 < bytes.count else { return nil }
      return bytes[position + 1] == 0x85 || bytes[position + 1] == 0xA0 ? 2 : nil
    case 0xE1...0xE3:
      guard position + 2 < bytes.count else { return nil }
      switch (bytes[position], bytes[position + 1], bytes[position + 2]) {
      case (0xE1, 0x9A, 0x80),  // U+1680 ogham space
        (0xE2, 0x80, 0x80...0x8A), (0xE2, 0x80, 0xA8), (0xE2, 0x80, 0xA9), (0xE2, 0x80, 0xAF),  // U+2000…202F
        (0xE2, 0x81, 0x9F),  // U+205F mathematical space
        (0xE3, 0x80, 0x80):  // U+3000 ideographic space
        return 3
      default: return nil
      }
    default: return nil
    }
  }

  /// True if the word matches `[A-Za-z_][A-Za-z0-9_-]*`.
  private static func isIdentifier(_ word: ArraySlice<UInt8>) -> Bool {
    for (index, byte) in word.enumerated() {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): continue
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): if index == 0 { return false }
      default: return false
      }
    }
    return true
  }
}
