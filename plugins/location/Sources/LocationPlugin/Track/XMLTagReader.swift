/// A tag in an XML file.
struct XMLTag {
  enum Kind {
    case open, close, empty
  }

  /// The name of the tag without a namespace prefix.
  var name: String
  var kind: Kind
  var attributes: [String: String]
  /// The number of the line on which the tag begins, from 1.
  var line: Int
}

/// Reads the tags of an XML file in order. Supports the subset of XML used in tracks: elements, attributes, text,
/// comments, declarations and CDATA. Entities are not expanded.
struct XMLTagReader {
  private let bytes: [UInt8]
  private var offset = 0
  /// The number of the current line, from 1.
  private(set) var line = 1

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// Returns the next tag, or nil at the end of the file.
  mutating func next() throws(GPXProblem) -> XMLTag? {
    while skip(to: UInt8(ascii: "<")) {
      if starts(with: "<!--") {
        try skip(past: "-->")
      } else if starts(with: "<![CDATA[") {
        try skip(past: "]]>")
      } else if starts(with: "<?") || starts(with: "<!") {
        try skip(past: ">")
      } else {
        return try tag()
      }
    }
    return nil
  }

  /// Returns the text up to the next tag, without white space at its ends.
  mutating func text() -> String {
    let start = offset
    _ = skip(to: UInt8(ascii: "<"))
    var range = bytes[start..<offset]
    while let last = range.last, Self.isSpace(last) { range.removeLast() }
    while let first = range.first, Self.isSpace(first) { range.removeFirst() }
    return String(decoding: range, as: UTF8.self)
  }

  private mutating func tag() throws(GPXProblem) -> XMLTag {
    let start = line
    advance()
    let isClosing = peek == UInt8(ascii: "/")
    if isClosing { advance() }
    let name = word { Self.isSpace($0) || $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "/") }
    guard !name.isEmpty else { throw GPXProblem(line: start, message: "'<' does not begin a tag") }
    var tag = XMLTag(
      name: name.split(separator: ":").last.map(String.init) ?? name, kind: isClosing ? .close : .open,
      attributes: [:], line: start)
    while true {
      while let byte = peek, Self.isSpace(byte) { advance() }
      guard let byte = peek else { throw GPXProblem(line: start, message: "<\(name)> has no end") }
      if byte == UInt8(ascii: ">") {
        advance()
        return tag
      }
      if byte == UInt8(ascii: "/") {
        tag.kind = .empty
        advance()
        continue
      }
      let key = word { Self.isSpace($0) || $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ">") }
      while let byte = peek, Self.isSpace(byte) || byte == UInt8(ascii: "=") { advance() }
      guard let quote = peek, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
        throw GPXProblem(line: line, message: "the value of '\(key)' in <\(name)> needs quotes")
      }
      advance()
      let value = word { $0 == quote }
      guard peek == quote else { throw GPXProblem(line: start, message: "the value of '\(key)' has no end") }
      advance()
      tag.attributes[key] = value
    }
  }

  private var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private mutating func advance() {
    if bytes[offset] == 10 { line += 1 }
    offset += 1
  }

  private mutating func word(until isEnd: (UInt8) -> Bool) -> String {
    let start = offset
    while let byte = peek, !isEnd(byte) { advance() }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  private mutating func skip(to byte: UInt8) -> Bool {
    while let next = peek {
      if next == byte { return true }
      advance()
    }
    return false
  }

  private mutating func skip(past end: String) throws(GPXProblem) {
    let start = line
    while offset < bytes.count {
      if starts(with: end) {
        offset += end.utf8.count
        return
      }
      advance()
    }
    throw GPXProblem(line: start, message: "'\(end)' is missing")
  }

  private func starts(with text: String) -> Bool { bytes[offset...].starts(with: text.utf8) }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
}
