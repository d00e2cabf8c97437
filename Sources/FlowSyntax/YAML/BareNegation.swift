import FlowDiagnostics

/// A condition that begins with `!` and is not quoted, such as `if: !failure() && inputs.x`. For YAML, `!failure()` is
/// a tag, and the rest is an anchor, an alias or invalid.
struct BareNegation {
  /// The key whose value is the condition.
  let key: String
  /// The condition as written in the file.
  let text: String
  /// The location of the condition in the file.
  let span: TextSpan

  private static let keys = ["if", "enabled", "defer"]

  /// Finds the last unquoted condition with `!` that begins at or before `location` on the same line. Returns nil if
  /// there is none.
  init?(at location: Int, in bytes: UnsafeBufferPointer<UInt8>) {
    func isLineBreak(_ index: Int) -> Bool { bytes[index] == 0x0A || bytes[index] == 0x0D }
    var start = min(location, bytes.count)
    while start > 0, !isLineBreak(start - 1) { start -= 1 }
    var end = start
    while end < bytes.count, !isLineBreak(end) { end += 1 }
    var found: (key: String, begin: Int)?
    var position = start
    while position < min(end, location + 1) {
      defer { position += 1 }
      guard bytes[position] == UInt8(ascii: "!"), let key = Self.key(before: position, lineStart: start, bytes) else {
        continue
      }
      found = (key, position)
    }
    guard let found else { return nil }
    let isFlow = bytes[start..<found.begin].contains { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") }
    span = TextSpan(found.begin, Self.end(from: found.begin, lineEnd: end, isFlow: isFlow, bytes))
    key = found.key
    text = String(decoding: UnsafeBufferPointer(rebasing: bytes[span.start..<span.end]), as: UTF8.self)
  }

  /// A suggestion for writing the condition correctly.
  var help: String { "put an expression that begins with '!' in quotes or in ${{ }}: \(key): ${{ \(text) }}" }

  /// Returns the key of a condition whose value begins at this position, or nil.
  private static func key(before position: Int, lineStart: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    var index = position
    while index > lineStart, bytes[index - 1] == UInt8(ascii: " ") { index -= 1 }
    guard index < position, index > lineStart, bytes[index - 1] == UInt8(ascii: ":") else { return nil }
    return keys.first { key in
      let begin = index - 1 - key.utf8.count
      guard begin >= lineStart, bytes[begin..<(index - 1)].elementsEqual(key.utf8) else { return false }
      return begin == lineStart || " {,".utf8.contains(bytes[begin - 1])
    }
  }

  /// Returns the offset where the condition ends: at a comment, at the end of the line or, inside braces or brackets,
  /// at the next comma or closing brace.
  private static func end(
    from start: Int, lineEnd: Int, isFlow: Bool, _ bytes: UnsafeBufferPointer<UInt8>
  ) -> Int {
    var depth = 0
    var isQuoted = false
    var end = start
    scanning: while end < lineEnd {
      switch bytes[end] {
      case UInt8(ascii: "'"): isQuoted.toggle()
      case _ where isQuoted: break
      case UInt8(ascii: "("), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: ")"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ","), UInt8(ascii: "}"): if isFlow, depth <= 0 { break scanning }
      case UInt8(ascii: "#"): if bytes[end - 1] == UInt8(ascii: " ") { break scanning }
      default: break
      }
      end += 1
    }
    while end > start, bytes[end - 1] == UInt8(ascii: " ") { end -= 1 }
    return end
  }
}
