import FlowDiagnostics
import FlowModel

/// Reads plain YAML several times as fast as libyaml. Nearly all workflows are written in plain YAML.
///
/// Plain YAML consists of block mappings with plain keys, block sequences of scalars, flow collections on one line,
/// scalars on one line, and comments. If a file has anything else (anchors, tags, escapes, multiline scalars, tabs or
/// an error), the scanner fails, and libyaml reads the whole file. A test checks that libyaml reads the same nodes from
/// every file that the scanner accepts.
struct PlainScanner {
  /// A collection whose end has not been reached.
  private struct Level {
    var node: Int
    var indent: Int
    var isSequence: Bool
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private let classes: UnsafeBufferPointer<UInt8>
  private var nodes: [YAMLNode] = []
  private var levels: [Level] = []
  private var position = 0
  private var lastEnd = 0
  /// True if the last key has no value so far. The value must then follow on the next lines.
  private var isPending = false

  /// Returns the nodes of the document, or nil if it is not plain YAML.
  static func nodes(of bytes: UnsafeBufferPointer<UInt8>) -> [YAMLNode]? {
    CharacterClass.table.withUnsafeBufferPointer { classes in
      var scanner = PlainScanner(bytes: bytes, classes: classes)
      return scanner.scan() ? scanner.nodes : nil
    }
  }

  private init(bytes: UnsafeBufferPointer<UInt8>, classes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    self.classes = classes
    nodes.reserveCapacity(bytes.count / 6)
  }

  @inline(__always)
  private func byte(_ offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : Self.newline }

  @inline(__always)
  private func isClass(_ offset: Int, _ wanted: UInt8) -> Bool {
    offset < bytes.count && classes[Int(bytes[offset])] & wanted != 0
  }

  private static let newline = UInt8(ascii: "\n")
  private static let space = UInt8(ascii: " ")

  // MARK: Lines

  private mutating func scan() -> Bool {
    while position < bytes.count {
      let lineStart = position
      while byte(position) == Self.space { position += 1 }
      if isAtLineEnd {
        guard skipLineEnd() else { return false }
        continue
      }
      guard scanLine(indent: position - lineStart), skipLineEnd() else { return false }
    }
    guard !isPending, !nodes.isEmpty else { return false }
    while !levels.isEmpty { closeLevel() }
    return true
  }

  @inline(__always)
  private mutating func scanLine(indent: Int) -> Bool {
    let isElement = bytes[position] == UInt8(ascii: "-")
    if isPending || levels.isEmpty {
      guard levels.isEmpty ? indent == 0 && !isElement && nodes.isEmpty : indent > levels[levels.count - 1].indent
      else {
        return false
      }
      guard levels.count < Self.deepest else { return false }
      levels.append(Level(node: nodes.count, indent: indent, isSequence: isElement))
      append(isElement ? .sequence : .mapping, position, position)
      isPending = false
    } else {
      while let top = levels.last, top.indent > indent { closeLevel() }
      guard let top = levels.last, top.indent == indent, top.isSequence == isElement else { return false }
    }
    return isElement ? scanElement() : scanMember()
  }

  private static let deepest = 24

  @inline(__always)
  private mutating func scanElement() -> Bool {
    guard byte(position + 1) == Self.space else { return false }
    position += 1
    skipSpaces()
    return !isAtLineEnd && scanValue(isInFlow: false)
  }

  @inline(__always)
  private mutating func scanMember() -> Bool {
    guard scanKey() else { return false }
    guard byte(position) == Self.space || byte(position) == Self.newline else { return false }
    skipSpaces()
    if isAtLineEnd {
      isPending = true
      return true
    }
    return scanValue(isInFlow: false)
  }

  /// Scans a plain key and its colon. Fails if there is no such key or if it is longer than 128 bytes.
  @inline(__always)
  private mutating func scanKey() -> Bool {
    let start = position
    guard isClass(position, CharacterClass.keyStart) else { return false }
    while isClass(position, CharacterClass.key) { position += 1 }
    guard position - start <= 128, position < bytes.count, bytes[position] == UInt8(ascii: ":") else { return false }
    append(.scalar, start, position)
    position += 1
    return true
  }

  // MARK: Values

  private mutating func scanValue(isInFlow: Bool) -> Bool {
    switch bytes[position] {
    case UInt8(ascii: "["), UInt8(ascii: "{"): return scanFlow()
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return scanQuoted()
    default: return isInFlow ? scanFlowPlain() : scanPlain()
    }
  }

  /// Scans a plain scalar, which ends at a comment or at the end of the line. Fails if it contains a colon before a
  /// space or another character that is not plain.
  @inline(__always)
  private mutating func scanPlain() -> Bool {
    guard isPlainStart else { return false }
    let start = position
    var end = start
    while position < bytes.count, bytes[position] != Self.newline {
      let byte = bytes[position]
      if classes[Int(byte)] & CharacterClass.plain == 0 {
        switch byte {
        case Self.space:
          position += 1
          continue
        case UInt8(ascii: "#"):
          if bytes[position - 1] == Self.space {
            append(.scalar, start, end)
            return true
          }
        case UInt8(ascii: ":"):
          if self.byte(position + 1) == Self.space || self.byte(position + 1) == Self.newline { return false }
        default: return false
        }
      }
      position += 1
      end = position
    }
    append(.scalar, start, end)
    return true
  }

  private var isPlainStart: Bool {
    if isClass(position, CharacterClass.plainStart) { return true }
    return bytes[position] == UInt8(ascii: "-") && isClass(position + 1, CharacterClass.keyStart)
  }

  /// Scans a quoted scalar. Fails if it has escapes, line breaks or characters that are not printable ASCII.
  private mutating func scanQuoted() -> Bool {
    let start = position
    let quote = bytes[position]
    position += 1
    while position < bytes.count, bytes[position] != quote {
      guard bytes[position] >= 0x20, bytes[position] < 0x7F, bytes[position] != UInt8(ascii: "\\") else { return false }
      position += 1
    }
    guard position < bytes.count, byte(position + 1) != UInt8(ascii: "'") else { return false }
    position += 1
    append(.scalar, start, position)
    nodes[nodes.count - 1].style = .quoted
    return true
  }

  /// Scans a flow collection on one line and, recursively, the collections in it. Fails if it is not plain YAML or its
  /// nesting is too deep.
  private mutating func scanFlow() -> Bool {
    let node = nodes.count
    let isSequence = bytes[position] == UInt8(ascii: "[")
    let close = isSequence ? UInt8(ascii: "]") : UInt8(ascii: "}")
    guard levels.count < Self.deepest else { return false }
    levels.append(Level(node: node, indent: -1, isSequence: isSequence))
    append(isSequence ? .sequence : .mapping, position, position)
    position += 1
    skipSpaces()
    if byte(position) != close {
      while true {
        if !isSequence {
          guard scanKey(), byte(position) == Self.space else { return false }
          skipSpaces()
        }
        guard position < bytes.count, scanValue(isInFlow: true) else { return false }
        skipSpaces()
        if byte(position) == close { break }
        guard byte(position) == UInt8(ascii: ",") else { return false }
        position += 1
        skipSpaces()
      }
    }
    guard position < bytes.count else { return false }
    position += 1
    lastEnd = position
    closeLevel()
    return true
  }

  /// Scans a plain scalar inside a flow collection, which ends at a comma or closing bracket. Fails if it contains a
  /// colon or another character that YAML may treat specially there.
  @inline(__always)
  private mutating func scanFlowPlain() -> Bool {
    guard isPlainStart else { return false }
    let start = position
    var end = start
    while position < bytes.count {
      let byte = bytes[position]
      if classes[Int(byte)] & CharacterClass.flowPlain != 0 {
        position += 1
        end = position
      } else if byte == Self.space {
        position += 1
      } else if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") {
        position = end
        append(.scalar, start, end)
        return true
      } else {
        return false
      }
    }
    return false
  }

  // MARK: Nodes

  @inline(__always)
  private mutating func append(_ kind: YAMLNode.Kind, _ start: Int, _ end: Int) {
    nodes.append(YAMLNode(kind: kind, start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: end)))
    lastEnd = end
  }

  private mutating func closeLevel() {
    let level = levels.removeLast()
    nodes[level.node].end = UInt32(truncatingIfNeeded: lastEnd)
    nodes[level.node].link = UInt32(truncatingIfNeeded: nodes.count)
  }

  // MARK: White space

  @inline(__always)
  private mutating func skipSpaces() { while byte(position) == Self.space { position += 1 } }

  /// True if the rest of the line is empty or a comment. Spaces must have been skipped.
  private var isAtLineEnd: Bool {
    byte(position) == Self.newline
      || byte(position) == UInt8(ascii: "#")
        && (position == 0 || [Self.space, Self.newline].contains(bytes[position - 1]))
  }

  /// Skips spaces, a comment and a line break. Returns false if there is other text on the line, or if the comment has
  /// a character that may be a line break or forbidden.
  @inline(__always)
  private mutating func skipLineEnd() -> Bool {
    skipSpaces()
    guard position < bytes.count else { return true }
    if bytes[position] == UInt8(ascii: "#") {
      guard isAtLineEnd else { return false }
      while position < bytes.count, bytes[position] != Self.newline {
        guard classes[Int(bytes[position])] & CharacterClass.comment != 0 else { return false }
        position += 1
      }
    }
    guard position < bytes.count else { return true }
    guard bytes[position] == Self.newline else { return false }
    position += 1
    return true
  }
}

/// Bits for the positions in plain YAML where a byte may occur.
private enum CharacterClass {
  static let keyStart: UInt8 = 1
  static let key: UInt8 = 2
  static let plainStart: UInt8 = 4
  /// Any printable character except space, `#` and `:`.
  static let plain: UInt8 = 8
  static let flowPlain: UInt8 = 16
  static let comment: UInt8 = 32

  // Sets whole ranges and then changes single bytes, because testing each of 256 bytes takes longer than reading a small
  // workflow.
  static let table: [UInt8] = {
    var table = [UInt8](repeating: 0, count: 0x80)
    for byte in 0x21..<0x7F { table[byte] = plain | flowPlain | comment }
    table[0x20] = comment
    table[0x09] = comment
    // Comments may contain non-ASCII characters. Four first bytes are excluded because they may begin a line break or a
    // forbidden character, such as U+0085, U+2028 or U+FEFF.
    table += [UInt8](repeating: comment, count: 0x80)
    for byte in [0xC2, 0xE2, 0xED, 0xEF] { table[byte] = 0 }
    for byte in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_".utf8 {
      table[Int(byte)] |= keyStart | key | plainStart
    }
    for byte in "-.".utf8 { table[Int(byte)] |= key }
    for byte in "/.$+(=~^".utf8 { table[Int(byte)] |= plainStart }
    for byte in "#:".utf8 { table[Int(byte)] &= ~plain }
    for byte in "#:,[]{}?".utf8 { table[Int(byte)] &= ~flowPlain }
    return table
  }()
}
