/// Finds the secrets of a run in texts and hides them, in each of the forms in which they may come out.
///
/// Only the values of texts are looked through, never numbers, keys or names.
public final class SecretMask: Sendable {
  struct Pattern: Sendable {
    let bytes: [UInt8]
    /// The secret and the form: `token/base64`.
    let name: String
  }

  /// What stands where a secret was.
  public static let hidden = "***"

  /// The longest first, so that of two that begin at one place the longer is found.
  let patterns: [Pattern]
  /// The first of the patterns that begin with two bytes, by these; -1: none does.
  private let heads: [Int32]
  /// The next one that begins so, for each.
  private let followers: [Int32]

  /// The base64 of secrets that is longer than a piece of it.
  private let wholes: [[UInt8]]

  /// A mask of secrets by name; texts under ``Limits/secretCharacters`` are not looked for.
  public init(_ secrets: [(name: String, text: String)]) {
    var patterns: [Pattern] = []
    for (name, text) in secrets {
      patterns += SecretForms.all(of: text).map { Pattern(bytes: $0.bytes, name: "\(name)/\($0.name)") }
    }
    patterns.sort { $0.bytes.count > $1.bytes.count }
    var heads = [Int32](repeating: -1, count: 1 << 16)
    var followers = [Int32](repeating: -1, count: patterns.count)
    for index in patterns.indices.reversed() {
      let head = Int(patterns[index].bytes[0]) << 8 | Int(patterns[index].bytes[1])
      followers[index] = heads[head]
      heads[head] = Int32(index)
    }
    self.patterns = patterns
    wholes = patterns.filter { $0.name.contains("/base64") && $0.bytes.count > Self.leastPieceBytes }.map(\.bytes)
    self.heads = heads
    self.followers = followers
  }

  /// The longest pattern that stands at a place of a text, or nil.
  func pattern(in bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int? {
    guard index + 1 < bytes.count else { return nil }
    var next = heads[Int(bytes[index]) << 8 | Int(bytes[index + 1])]
    while next >= 0 {
      let pattern = patterns[Int(next)].bytes
      if pattern.count <= bytes.count - index,
        pattern.withUnsafeBufferPointer({ Self.isEqual($0, bytes, at: index, count: $0.count) })
      {
        return Int(next)
      }
      next = followers[Int(next)]
    }
    return nil
  }

  /// Whether the first `count` bytes of `pattern` stand at a place of a text.
  static func isEqual(
    _ pattern: UnsafeBufferPointer<UInt8>, _ bytes: UnsafeBufferPointer<UInt8>, at index: Int, count: Int
  ) -> Bool {
    for offset in 0..<count where pattern[offset] != bytes[index + offset] { return false }
    return true
  }

  /// The text with every secret hidden.
  ///
  /// - Parameter isCut: whether the text goes on where it ends here, so that a secret may have begun.
  public func masked(_ text: String, isCut: Bool = false) -> String {
    var text = text
    let ranges = text.withUTF8 { bytes in
      var ranges = self.ranges(in: bytes)
      addPieces(in: bytes, to: &ranges)
      addCuts(in: bytes, isCut: isCut, to: &ranges)
      return ranges
    }
    if ranges.isEmpty { return text }
    var result: [UInt8] = []
    text.withUTF8 { bytes in
      var start = 0
      for range in ranges {
        result += bytes[start..<range.lowerBound]
        result += Array(Self.hidden.utf8)
        start = range.upperBound
      }
      result += bytes[start...]
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Where secrets stand, in order; what overlaps or touches is one range.
  private func ranges(in bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    guard bytes.count > 1 else { return ranges }
    for index in 0..<bytes.count - 1 {
      guard heads[Int(bytes[index]) << 8 | Int(bytes[index + 1])] >= 0, let found = pattern(in: bytes, at: index) else {
        continue
      }
      let end = index + patterns[found].bytes.count
      if let last = ranges.last, index <= last.upperBound {
        ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, end)
      } else {
        ranges.append(index..<end)
      }
    }
    return ranges
  }

  // MARK: Cut texts

  /// Hides what may be the beginning or the end of a secret where something of the text is left out.
  private func addCuts(in bytes: UnsafeBufferPointer<UInt8>, isCut: Bool, to ranges: inout [Range<Int>]) {
    var parts: [Range<Int>] = []
    if isCut, let part = beginning(before: bytes.count, in: bytes) { parts.append(part.range) }
    parts += partsAtGaps(in: bytes).map(\.range)
    if !parts.isEmpty { ranges = Self.merged(ranges + parts) }
  }

  private static func merged(_ ranges: [Range<Int>]) -> [Range<Int>] {
    var merged: [Range<Int>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = merged.last, range.lowerBound <= last.upperBound {
        merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    return merged
  }

  // MARK: Base64 in lines

  /// The shortest line that is taken for a piece of base64.
  private static let leastPieceBytes = 12

  /// Hides whole lines that are pieces of a secret's base64: programs cut it into lines of any width.
  private func addPieces(in bytes: UnsafeBufferPointer<UInt8>, to ranges: inout [Range<Int>]) {
    var pieces: [Range<Int>] = []
    var start = 0
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      defer { start = line.endIndex + 1 }
      var end = line.endIndex
      while end > start, bytes[end - 1] == UInt8(ascii: "\r") || bytes[end - 1] == UInt8(ascii: "=") { end -= 1 }
      guard end - start >= Self.leastPieceBytes, line.prefix(end - start).allSatisfy(\.isBase64),
        wholes.contains(where: { Self.contains($0, UnsafeBufferPointer(rebasing: bytes[start..<end])) })
      else { continue }
      pieces.append(start..<line.endIndex)
    }
    if !pieces.isEmpty { ranges = Self.merged(ranges + pieces) }
  }

  private static func contains(_ whole: [UInt8], _ piece: UnsafeBufferPointer<UInt8>) -> Bool {
    guard piece.count < whole.count else { return false }
    return whole.withUnsafeBufferPointer { whole in
      (0...whole.count - piece.count).contains { isEqual(piece, whole, at: $0, count: piece.count) }
    }
  }

  /// A part of a secret at an edge of a text.
  struct Part {
    var range: Range<Int>
    var pattern: Int
    /// Whether it is the beginning of the secret; else its end.
    var isBeginning: Bool
  }

  /// Parts of secrets before and behind what is left out of a text.
  func partsAtGaps(in bytes: UnsafeBufferPointer<UInt8>) -> [Part] {
    var parts: [Part] = []
    for gap in LeftOut.gaps(in: bytes) {
      // The line break before the gap may be the text's own, or that of the gap.
      for end in [gap.lowerBound, gap.lowerBound - 1] where end > 0 {
        if end < gap.lowerBound, bytes[end] != UInt8(ascii: "\n") { continue }
        if let part = beginning(before: end, in: bytes) {
          parts.append(part)
          break
        }
      }
      if let part = ending(after: gap.upperBound, in: bytes) { parts.append(part) }
    }
    return parts
  }

  /// The longest beginning of a secret that ends at a place; nil: none does.
  private func beginning(before end: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Part? {
    var (longest, found) = (0, 0)
    for (index, pattern) in patterns.enumerated() {
      pattern.bytes.withUnsafeBufferPointer { pattern in
        var count = min(pattern.count - 1, end)
        while count > longest, !Self.isEqual(pattern, bytes, at: end - count, count: count) { count -= 1 }
        if count > longest { (longest, found) = (count, index) }
      }
    }
    return longest > 0 ? Part(range: end - longest..<end, pattern: found, isBeginning: true) : nil
  }

  /// The longest end of a secret that starts at a place; nil: none does.
  private func ending(after start: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Part? {
    var (longest, found) = (0, 0)
    for (index, pattern) in patterns.enumerated() {
      pattern.bytes.withUnsafeBufferPointer { pattern in
        var count = min(pattern.count - 1, bytes.count - start)
        while count > longest {
          let end = UnsafeBufferPointer(rebasing: pattern[(pattern.count - count)...])
          if Self.isEqual(end, bytes, at: start, count: count) { break }
          count -= 1
        }
        if count > longest { (longest, found) = (count, index) }
      }
    }
    return longest > 0 ? Part(range: start..<start + longest, pattern: found, isBeginning: false) : nil
  }

  /// The text up to where a secret may have begun: what goes on is shown when it has.
  public func withholding(_ text: String) -> String {
    var text = masked(text)
    let count = text.withUTF8 { beginning(before: $0.count, in: $0)?.range.lowerBound ?? $0.count }
    return String(decoding: text.utf8.prefix(count), as: UTF8.self)
  }
}

extension UInt8 {
  /// Whether it may stand in base64, of either alphabet.
  fileprivate var isBase64: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

extension SecretMask {
  /// A message with every secret hidden, of which long lines may have been cut after so many bytes, and values before `...`.
  public func masked(message: String, cutAfter lineBytes: Int) -> String {
    // Whole first: a secret may have several lines.
    var text = masked(message)
    if text.utf8.count >= lineBytes {
      text = text.split(separator: "\n", omittingEmptySubsequences: false)
        .map { $0.utf8.count >= lineBytes ? masked(String($0), isCut: true) : String($0) }.joined(separator: "\n")
    }
    guard text.contains("...") else { return text }
    let pieces = text.split(separator: "...", omittingEmptySubsequences: false)
    let beginnings = pieces.dropLast().map { masked(String($0), isCut: true) }
    return (beginnings + [String(pieces[pieces.count - 1])]).joined(separator: "...")
  }

  /// A value with every secret hidden in its texts.
  public func masked(_ value: Value) -> Value {
    switch value {
    case .string(let text): .string(masked(text))
    case .array(let values): .array(values.map { masked($0) })
    case .object(let object): .object(masked(object))
    default: value
    }
  }

  /// An object with every secret hidden in its texts.
  public func masked(_ object: ValueObject) -> ValueObject {
    var result = ValueObject()
    for (key, value) in object { result[key] = masked(value) }
    return result
  }
}
