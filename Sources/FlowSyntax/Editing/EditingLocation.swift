import FlowDiagnostics

/// The location of the cursor in the structure of a file. It is determined from the text alone, because unfinished text
/// is rarely valid YAML.
struct EditingLocation {
  /// A component of a path in a file: a key of a mapping or an index of a list.
  enum Part: Hashable {
    case key(String)
    case element(Int)
  }

  enum Position {
    /// The name of a key, or a value if both are possible.
    case keyOrValue
    /// The value of a key, or an element of a list.
    case value
    /// A location without completions, such as a comment.
    case nothing
  }

  /// The path to the mapping, list or value at the cursor.
  var path: [Part] = []
  var position = Position.keyOrValue
  /// True if the cursor is inside `{ }` or `[ ]`, which YAML calls flow style.
  var isFlow = false
  /// True if the cursor is in a block scalar, the text after `|` or `>`.
  var isBlockText = false
  /// The offset where the value at the cursor begins.
  var start = 0
  /// The offset of the cursor in the file.
  var offset = 0
  /// The column of the innermost mapping or list that contains the cursor.
  var indentation = 0

  /// The keys on the path, without indices.
  var keys: [String] { path.compactMap { if case .key(let key) = $0 { key } else { nil } } }
}

/// Determines an ``EditingLocation`` from the text before the cursor by its indentation, keys, dashes and brackets.
struct EditingLocationScanner {
  private struct Level {
    let column: Int
    let part: EditingLocation.Part
  }
  private struct Bracket {
    let isMap: Bool
    var key: String?
    var count = 0
  }

  private let bytes: ArraySlice<UInt8>
  private var levels: [Level] = []
  private var brackets: [Bracket] = []
  /// The column of the key whose block scalar is being read, or nil outside block scalars.
  private var blockTextColumn: Int?
  /// The opening quote of a string that continues on the next line, or nil outside strings.
  private var quote: UInt8?
  private var location = EditingLocation()

  /// Returns the location of the cursor at this offset.
  static func location(at offset: Int, in bytes: [UInt8]) -> EditingLocation {
    var scanner = EditingLocationScanner(bytes[..<min(max(0, offset), bytes.count)])
    return scanner.scan()
  }

  private init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  private mutating func scan() -> EditingLocation {
    var start = 0
    while true {
      let end = bytes[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.endIndex
      line(start..<end, isLast: end == bytes.endIndex)
      guard end < bytes.endIndex else { break }
      start = end + 1
    }
    location.path = levels.map(\.part)
    for bracket in brackets {
      if bracket.isMap {
        if let key = bracket.key { location.path.append(.key(key)) }
      } else {
        location.path.append(.element(bracket.count))
      }
    }
    location.isFlow = !brackets.isEmpty
    location.offset = bytes.endIndex
    return location
  }

  private mutating func line(_ range: Range<Int>, isLast: Bool) {
    var position = range.lowerBound
    while position < range.upperBound, bytes[position] == 0x20 { position += 1 }
    let column = position - range.lowerBound
    let isBlank = position == range.upperBound
    location.isBlockText = false
    location.position = .keyOrValue
    location.start = position
    if let text = blockTextColumn {
      if isBlank && (!isLast || column > text) || !isBlank && column > text {
        location.isBlockText = true
        location.position = .value
        return
      }
      blockTextColumn = nil
    }
    // Lines inside brackets or quotes are indented more than their key. If a line is not, a bracket or quote was left
    // open.
    if !isBlank, let owner = levels.last?.column, column <= owner, bytes[position] != UInt8(ascii: "]"),
      bytes[position] != UInt8(ascii: "}")
    {
      quote = nil
      brackets.removeAll()
    }
    if quote != nil || !brackets.isEmpty { return inside(position..<range.upperBound) }
    if isBlank && !isLast { return }
    if !isBlank, bytes[position] == UInt8(ascii: "#") {
      if isLast { location.position = .nothing }
      return
    }
    block(position..<range.upperBound, column: column)
  }

  /// Reads a line that is not inside brackets or quotes.
  private mutating func block(_ range: Range<Int>, column: Int) {
    let isDash = self.isDash(range.lowerBound, range.upperBound)
    var elementNumber = 0
    while let level = levels.last, level.column >= column {
      if level.column == column, isDash {
        guard case .element(let number) = level.part else { break }
        elementNumber = number + 1
      }
      levels.removeLast()
    }
    location.indentation = column
    var position = range.lowerBound
    if isDash {
      levels.append(Level(column: column, part: .element(elementNumber)))
      position += 1
      while position < range.upperBound, bytes[position] == 0x20 { position += 1 }
      location.start = position
      location.position = .keyOrValue
      if self.isDash(position, range.upperBound) {
        return block(position..<range.upperBound, column: column + position - range.lowerBound)
      }
    }
    let keyColumn = column + position - range.lowerBound
    if let (key, end) = key(position..<range.upperBound) {
      levels.append(Level(column: keyColumn, part: .key(key)))
      location.indentation = keyColumn
      value(end..<range.upperBound, column: keyColumn)
    } else if position < range.upperBound {
      let first = bytes[position]
      if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == 0x22 || first == 0x27 {
        inside(position..<range.upperBound)
      }
    }
  }

  private func isDash(_ position: Int, _ end: Int) -> Bool {
    position < end && bytes[position] == UInt8(ascii: "-") && (position + 1 == end || bytes[position + 1] == 0x20)
  }

  /// Returns the key at the start of a range and the offset where its value begins, or nil if there is no key.
  private func key(_ range: Range<Int>) -> (key: String, end: Int)? {
    guard !range.isEmpty else { return nil }
    var position = range.lowerBound
    let first = bytes[position]
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { return nil }
    var text = range.lowerBound..<range.lowerBound
    if first == 0x22 || first == 0x27 {
      position += 1
      while position < range.upperBound, bytes[position] != first { position += 1 }
      guard position < range.upperBound else { return nil }
      text = range.lowerBound + 1..<position
      position += 1
      while position < range.upperBound, bytes[position] == 0x20 { position += 1 }
      guard position < range.upperBound, bytes[position] == UInt8(ascii: ":") else { return nil }
    } else {
      while position < range.upperBound {
        if bytes[position] == UInt8(ascii: "#"), bytes[position - 1] == 0x20 { return nil }
        if bytes[position] == UInt8(ascii: ":"),
          position + 1 == range.upperBound || bytes[position + 1] == 0x20 || bytes[position + 1] == 0x09
        {
          break
        }
        position += 1
      }
      guard position < range.upperBound else { return nil }
      text = range.lowerBound..<position
    }
    return (String(decoding: bytes[text], as: UTF8.self).trimmedSpaces, position + 1)
  }

  private mutating func value(_ range: Range<Int>, column: Int) {
    var position = range.lowerBound
    while position < range.upperBound {
      while position < range.upperBound, bytes[position] == 0x20 || bytes[position] == 0x09 { position += 1 }
      // An anchor or a tag may come before the value.
      guard position < range.upperBound, bytes[position] == UInt8(ascii: "&") || bytes[position] == UInt8(ascii: "!")
      else { break }
      guard let space = bytes[position..<range.upperBound].firstIndex(of: 0x20) else {
        position = range.upperBound
        break
      }
      position = space
    }
    location.start = position
    location.position = .value
    guard position < range.upperBound else { return }
    switch bytes[position] {
    case UInt8(ascii: "|"), UInt8(ascii: ">"): blockTextColumn = column
    case UInt8(ascii: "{"), UInt8(ascii: "["), 0x22, 0x27: inside(position..<range.upperBound)
    default: location.position = plainHasComment(position..<range.upperBound) ? .nothing : .value
    }
  }

  private func plainHasComment(_ range: Range<Int>) -> Bool {
    range.contains { bytes[$0] == UInt8(ascii: "#") && ($0 == range.lowerBound || bytes[$0 - 1] == 0x20) }
  }

  /// Reads a line inside brackets or quotes, which may continue on the next line.
  private mutating func inside(_ range: Range<Int>) {
    var position = range.lowerBound
    var start = position
    location.position =
      quote != nil || brackets.last?.isMap == false || brackets.last?.key != nil ? .value : .keyOrValue
    location.start = start
    while position < range.upperBound {
      let byte = bytes[position]
      position += 1
      if let open = quote {
        if byte == UInt8(ascii: "\\"), open == 0x22, position < range.upperBound { position += 1 }
        if byte == open { quote = nil }
        continue
      }
      switch byte {
      case 0x22, 0x27:
        // A quote inside a word is an apostrophe.
        if bytes[start..<position - 1].allSatisfy({ $0 == 0x20 }) { quote = byte }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        // The braces of an expression are part of the text.
        if byte == UInt8(ascii: "{"), position >= 2, bytes[position - 2] == UInt8(ascii: "$") {
          position = endOfExpression(from: position, range.upperBound)
          continue
        }
        brackets.append(Bracket(isMap: byte == UInt8(ascii: "{")))
        start = position
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if !brackets.isEmpty { brackets.removeLast() }
        start = position
        if brackets.isEmpty {
          location.position = .nothing
          return
        }
      case UInt8(ascii: ","):
        guard let last = brackets.indices.last else { continue }
        brackets[last].key = nil
        brackets[last].count += 1
        start = position
      case UInt8(ascii: ":"):
        guard let last = brackets.indices.last, brackets[last].isMap, brackets[last].key == nil,
          position == range.upperBound || bytes[position] == 0x20
        else { continue }
        brackets[last].key = String(decoding: bytes[start..<position - 1], as: UTF8.self).trimmedSpaces.unquoted
        start = position
      case UInt8(ascii: "#"):
        if position >= 2, bytes[position - 2] == 0x20 {
          location.position = .nothing
          return
        }
      default: break
      }
    }
    while start < range.upperBound, bytes[start] == 0x20 { start += 1 }
    location.start = start
    let isValue = quote != nil || brackets.last?.isMap == false || brackets.last?.key != nil
    location.position = isValue ? .value : .keyOrValue
  }

  private func endOfExpression(from start: Int, _ end: Int) -> Int {
    var position = start
    while position + 1 < end {
      if bytes[position] == UInt8(ascii: "}"), bytes[position + 1] == UInt8(ascii: "}") { return position + 2 }
      position += 1
    }
    return end
  }
}

extension String {
  var trimmedSpaces: String {
    var text = self[...]
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return String(text)
  }

  fileprivate var unquoted: String {
    count >= 2 && (first == "\"" || first == "'") && first == last ? String(dropFirst().dropLast()) : self
  }
}
