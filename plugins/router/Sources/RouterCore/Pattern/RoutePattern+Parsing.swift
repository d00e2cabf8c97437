import FlowDiagnostics

extension RoutePattern {
  /// Parses a pattern as written in a workflow. Throws the first syntax error.
  public init(_ text: String) throws(RoutePatternError) {
    var parser = RoutePatternParser(text)
    self = try parser.parse()
  }
}

extension ParameterType {
  /// Parses a type as written between `<` and `>` in a pattern. Throws if there is no such type.
  public init(text: String) throws(RoutePatternError) {
    self = try RoutePatternParser("").parseType(named: text, at: 0)
  }
}

/// A parser for the grammar of ``RoutePattern``.
private struct RoutePatternParser {
  private let text: String
  private let bytes: [UInt8]
  private var position = 0
  private var names: [String] = []
  private var hasRest = false

  init(_ text: String) {
    self.text = text
    bytes = Array(text.utf8)
  }

  mutating func parse() throws(RoutePatternError) -> RoutePattern {
    guard !bytes.isEmpty else { throw RoutePatternError("a pattern is empty", at: 0, help: "write 'app://page/:id'") }
    guard bytes.count <= 2048 else { throw RoutePatternError("a pattern is longer than 2048 bytes", at: 2048) }
    let (scheme, host) = try parsePrefix()
    var segments: [RoutePattern.Segment] = []
    segments.reserveCapacity(4)
    while position < bytes.count {
      let start = position
      while position < bytes.count, bytes[position] != ASCII.slash { position += 1 }
      guard start < position else {
        throw RoutePatternError("a pattern has an empty segment", at: start, help: "remove the extra '/'")
      }
      if case .parameter(_, _, isOptional: true) = segments.last {
        throw RoutePatternError("only the last segment may be optional", at: start - 2, help: "remove the '?'")
      }
      guard segments.count < 64 else { throw RoutePatternError("a pattern has more than 64 segments", at: start) }
      segments.append(try parseSegment(start, position))
      if position < bytes.count { position += 1 }
    }
    return RoutePattern(text: text, scheme: scheme, host: host, segments: segments)
  }

  private mutating func parsePrefix() throws(RoutePatternError) -> (String?, HostPattern?) {
    guard let colon = schemeEnd() else {
      if bytes.first == ASCII.slash { position = 1 }
      return (nil, nil)
    }
    let scheme = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
    guard URLPolicy.isScheme(bytes[..<colon]) else {
      throw RoutePatternError("'\(scheme)' is not a scheme", at: 0, help: "begin with 'app://' or without a scheme")
    }
    position = colon + 3
    guard scheme == "https" else { return (scheme, nil) }
    let start = position
    while position < bytes.count, bytes[position] != ASCII.slash { position += 1 }
    let name = String(decoding: bytes[start..<position], as: UTF8.self)
    guard let host = HostPattern(name) else {
      throw RoutePatternError("'\(name)' is not a host", at: start, help: "write 'https://example.com/page'")
    }
    if position < bytes.count { position += 1 }
    return (nil, host)
  }

  /// Returns the position of `://`, or nil if there is none.
  private func schemeEnd() -> Int? {
    var index = 0
    while index + 2 < bytes.count, bytes[index] != ASCII.slash {
      if bytes[index] == ASCII.colon, bytes[index + 1] == ASCII.slash, bytes[index + 2] == ASCII.slash { return index }
      index += 1
    }
    return nil
  }

  private mutating func parseSegment(_ start: Int, _ end: Int) throws(RoutePatternError) -> RoutePattern.Segment {
    switch bytes[start] {
    case ASCII.colon: return try parseParameter(start, end)
    case UInt8(ascii: "*"): return try parseWildcard(start, end)
    default: return .literal(try parseLiteral(start, end))
    }
  }

  private mutating func parseWildcard(_ start: Int, _ end: Int) throws(RoutePatternError) -> RoutePattern.Segment {
    switch end - start {
    case 1: return .any
    case 2 where bytes[start + 1] == UInt8(ascii: "*"):
      if hasRest { throw RoutePatternError("'**' may appear only once in a pattern", at: start, help: "use '*'") }
      if names.contains(RoutePattern.restName) { throw Self.restIsTaken(at: start) }
      hasRest = true
      return .rest
    default:
      throw RoutePatternError("'*' and '**' fill a whole segment", at: start, help: "use ':name' and check it there")
    }
  }

  private static func restIsTaken(at place: Int) -> RoutePatternError {
    RoutePatternError("':rest' is the name of what '**' matches", at: place, help: "give the parameter another name")
  }

  private mutating func parseParameter(_ start: Int, _ end: Int) throws(RoutePatternError) -> RoutePattern.Segment {
    var end = end
    let isOptional = bytes[end - 1] == ASCII.question
    if isOptional { end -= 1 }
    var nameEnd = start + 1
    while nameEnd < end, Self.isNameByte(bytes[nameEnd]) { nameEnd += 1 }
    let name = String(decoding: bytes[start + 1..<nameEnd], as: UTF8.self)
    guard nameEnd > start + 1, !ASCII.isDigit(bytes[start + 1]), name.utf8.count <= 64 else {
      throw RoutePatternError(
        "a parameter's name is up to 64 letters, digits, '_' and '-', not beginning with a digit", at: start + 1)
    }
    if names.contains(name) { throw RoutePatternError("the name ':\(name)' appears twice", at: start) }
    if hasRest, name == RoutePattern.restName { throw Self.restIsTaken(at: start) }
    names.append(name)
    if isOptional, hasRest {
      throw RoutePatternError("an optional segment cannot follow '**'", at: start, help: "remove the '?'")
    }
    let type = try parseType(nameEnd, end)
    return .parameter(name: name, type: type, isOptional: isOptional)
  }

  private func parseType(_ start: Int, _ end: Int) throws(RoutePatternError) -> ParameterType {
    if start == end { return .string }
    guard bytes[start] == UInt8(ascii: "<"), bytes[end - 1] == UInt8(ascii: ">"), end - start > 2 else {
      throw RoutePatternError("a parameter fills a whole segment: ':name', ':name<type>' or ':name?'", at: start)
    }
    return try parseType(named: String(decoding: bytes[start + 1..<end - 1], as: UTF8.self), at: start + 1)
  }

  /// Parses the name of a type. `init(text:)` also calls this function, with a parser that has no pattern.
  fileprivate func parseType(named word: String, at offset: Int) throws(RoutePatternError) -> ParameterType {
    if let known = ParameterType.words.first(where: { $0.word == word }) { return known.type }
    guard word.hasPrefix("enum(") else {
      let words = ParameterType.words.map(\.word) + ["enum(a,b)"]
      let correction = Correction(word, among: words)
      throw RoutePatternError(
        "'\(word)' is not a type", at: offset,
        help: correction?.question ?? "one of \(words.joined(separator: ", "))", correction: correction)
    }
    return try parseEnumeration(word, at: offset)
  }

  private func parseEnumeration(_ word: String, at offset: Int) throws(RoutePatternError) -> ParameterType {
    let words = word.dropFirst(5).dropLast().split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard word.hasSuffix(")"), words.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(Self.isWordByte) }),
      words.count <= 64
    else {
      throw RoutePatternError(
        "the words of an enum are 1 to 64 texts of letters, digits, '.', '_' and '-'", at: offset,
        help: "write 'enum(new,used)'")
    }
    guard Set(words).count == words.count else {
      throw RoutePatternError("a word of the enum comes twice", at: offset)
    }
    return .enumeration(words)
  }

  private func parseLiteral(_ start: Int, _ end: Int) throws(RoutePatternError) -> String {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(end - start)
    var index = start
    while index < end {
      let byte = bytes[index]
      switch byte {
      case ASCII.percent:
        guard index + 2 < end, let high = ASCII.hexadecimalValue(bytes[index + 1]),
          let low = ASCII.hexadecimalValue(bytes[index + 2])
        else { throw RoutePatternError("'%' must be followed by two hexadecimal digits", at: index) }
        decoded.append(high << 4 | low)
        index += 3
        continue
      case ASCII.colon, UInt8(ascii: "*"), UInt8(ascii: "<"), UInt8(ascii: ">"):
        throw RoutePatternError("a parameter or a wildcard fills a whole segment", at: index)
      case ASCII.question, ASCII.hash:
        throw RoutePatternError(
          "a pattern has neither query nor fragment", at: index,
          help: "query items reach the page without being declared")
      case ASCII.at, ASCII.backslash:
        throw RoutePatternError("'\(Character(Unicode.Scalar(byte)))' is not allowed in a link", at: index)
      default:
        decoded.append(byte)
      }
      index += 1
    }
    return try checkedLiteral(decoded, at: start)
  }

  private func checkedLiteral(_ decoded: [UInt8], at offset: Int) throws(RoutePatternError) -> String {
    if decoded.contains(where: ASCII.isControl)
      || UTF8Validation.problem(in: decoded.span, from: 0, to: decoded.count) != nil
    {
      throw RoutePatternError("a literal must be UTF-8 without control characters", at: offset)
    }
    let literal = String(decoding: decoded, as: UTF8.self)
    if literal == "." || literal == ".." {
      throw RoutePatternError("'.' and '..' are not allowed in a link", at: offset)
    }
    return literal
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "_") || byte == ASCII.hyphen
  }

  private static func isWordByte(_ byte: UInt8) -> Bool { isNameByte(byte) || byte == ASCII.dot }
}
