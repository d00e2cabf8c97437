import Synchronization

/// Finds the secrets of a run in texts and hides them, in each of the forms in which they may come out.
///
/// Only the values of texts are looked through, never numbers, keys or names.
public final class SecretMask: Sendable {
  /// What stands where a secret was.
  public static let hidden = "***"

  /// A text to look for, and the secret that it is a part of.
  struct Part: Sendable {
    var secret: String
    var part: SecretEncoding.Part
  }

  let parts: [Part]
  /// One for up to three encodings, and where there are too many texts for that, one for the rest.
  let searches: Mutex<[SecretSearch]>
  /// The names of what was found, by how it was written.
  let names = Mutex<[EncodedPart: String]>([:])

  /// The base64 of secrets that is longer than a piece of it.
  private let wholes: [[UInt8]]

  /// A mask of secrets by name; texts under ``Limits/secretCharacters`` are not looked for.
  public init(_ secrets: [(name: String, text: String)]) {
    parts = secrets.flatMap { secret in
      SecretEncoding.parts(of: secret.text).map { Part(secret: secret.name, part: $0) }
    }
    let (few, many) = parts.count <= Self.mostNestedParts ? (parts, []) : Self.split(parts)
    let levels = EncodedPosition.levels
    searches = Mutex(
      [(few, levels), (many, 1)].filter { !$0.0.isEmpty }.map { parts, encodings in
        SecretSearch(parts.map(\.part.bytes), encodings: encodings)
      })
    wholes = parts.filter { $0.part.name.hasSuffix("text") }.flatMap { SecretEncoding.base64(of: $0.part.bytes) }
      .filter { $0.count > Self.leastPieceBytes }
  }

  /// Secrets and lines of them that are found encoded three times; of more, lines are found encoded once.
  private static let mostNestedParts = 100

  /// Secrets as a whole, and parts of them.
  private static func split(_ parts: [Part]) -> ([Part], [Part]) {
    (parts.filter { $0.part.name == "text" }, parts.filter { $0.part.name != "text" })
  }

  /// What is found in a text, in the order of its starts, of each start the longest.
  func matches(in bytes: UnsafeBufferPointer<UInt8>, isCut: Bool = false) -> [SecretSearch.Match] {
    searches.withLock { searches in
      var found: [SecretSearch.Match] = []
      for index in searches.indices { found += searches[index].matches(in: bytes, isCut: isCut) }
      if searches.count > 1 { found.sort { $0.range.lowerBound < $1.range.lowerBound } }
      return found
    }
  }

  /// The text with every secret hidden.
  ///
  /// - Parameter isCut: whether the text goes on where it ends here, so that a secret may have begun.
  public func masked(_ text: String, isCut: Bool = false) -> String {
    var text = text
    let ranges = text.withUTF8 { bytes in
      var ranges = Self.merged(matches(in: bytes, isCut: isCut).map(\.range))
      addPieces(in: bytes, to: &ranges)
      let parts = partsAtGaps(in: bytes).map(\.hidden)
      return parts.isEmpty ? ranges : Self.merged(ranges + parts)
    }
    if ranges.isEmpty { return text }
    var result: [UInt8] = []
    text.withUTF8 { bytes in
      result.reserveCapacity(bytes.count)
      var start = 0
      for range in ranges {
        result += bytes[start..<range.lowerBound]
        result += Self.hidden.utf8
        start = range.upperBound
      }
      result += bytes[start...]
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The ranges in order; what overlaps or touches is one.
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
    guard !wholes.isEmpty else { return }
    var pieces: [Range<Int>] = []
    var start = 0
    while start < bytes.count {
      let lineEnd = Self.lineEnd(in: bytes, from: start)
      defer { start = lineEnd + 1 }
      var end = lineEnd
      while end > start, bytes[end - 1] == UInt8(ascii: "\r") || bytes[end - 1] == UInt8(ascii: "=") { end -= 1 }
      guard end - start >= Self.leastPieceBytes, bytes[start..<end].allSatisfy({ $0.base64Digit != nil }),
        wholes.contains(where: { Self.contains($0, UnsafeBufferPointer(rebasing: bytes[start..<end])) })
      else { continue }
      pieces.append(start..<lineEnd)
    }
    if !pieces.isEmpty { ranges = Self.merged(ranges + pieces) }
  }

  /// The next line break, or the end; eight bytes are looked at at once.
  private static func lineEnd(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
    var index = start
    while index + 8 <= bytes.count {
      let word = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: index, as: UInt64.self)
      // Where a byte was a line break, it is zero now.
      let zeros = word ^ ones &* UInt64(UInt8(ascii: "\n"))
      if (zeros &- ones) & ~zeros & highs != 0 { break }
      index += 8
    }
    while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
    return index
  }

  private static func contains(_ whole: [UInt8], _ piece: UnsafeBufferPointer<UInt8>) -> Bool {
    guard piece.count < whole.count else { return false }
    return whole.withUnsafeBufferPointer { whole in
      (0...whole.count - piece.count).contains { start in
        piece.indices.allSatisfy { piece[$0] == whole[start + $0] }
      }
    }
  }

  // MARK: Cut texts

  /// A part of a secret at an edge of a text.
  struct PartAtGap {
    var match: SecretSearch.Match
    /// Whether it is the beginning of the secret; else its end.
    var isBeginning: Bool
    /// Where it is, with what is left of an escape before it.
    var hidden: Range<Int>
  }

  /// Parts of secrets before and after what is left out of a text.
  func partsAtGaps(in bytes: UnsafeBufferPointer<UInt8>) -> [PartAtGap] {
    var parts: [PartAtGap] = []
    for gap in LeftOut.gaps(in: bytes) {
      // The line break before the gap may be the text's own, or that of the gap.
      for end in [gap.lowerBound, gap.lowerBound - 1] where end > 0 {
        if end < gap.lowerBound, bytes[end] != UInt8(ascii: "\n") { continue }
        if let match = beginning(before: end, in: bytes) {
          parts.append(PartAtGap(match: match, isBeginning: true, hidden: match.range))
          break
        }
      }
      if let match = ending(after: gap.upperBound, in: bytes) {
        parts.append(
          PartAtGap(match: match, isBeginning: false, hidden: gap.upperBound..<match.range.upperBound))
      }
    }
    return parts
  }

  /// The longest beginning of a secret that ends at a place; nil: none does.
  private func beginning(before end: Int, in bytes: UnsafeBufferPointer<UInt8>) -> SecretSearch.Match? {
    matches(in: UnsafeBufferPointer(rebasing: bytes[..<end]), isCut: true).first { $0.range.upperBound == end }
  }

  /// The longest end of a secret that starts at a place, or after what is left there of an escape; nil: none does.
  private func ending(after start: Int, in bytes: UnsafeBufferPointer<UInt8>) -> SecretSearch.Match? {
    searches.withLock { $0.compactMap { Self.ending(after: start, in: bytes, $0) } }
      .max { $0.range.upperBound < $1.range.upperBound }
  }

  private static func ending(
    after start: Int, in bytes: UnsafeBufferPointer<UInt8>, _ search: SecretSearch
  ) -> SecretSearch.Match? {
    var beginnings: SecretSearch.Beginnings = [:]
    var longest = search.ending(in: bytes, from: start, &beginnings)
    for place in start..<min(start + mostEscapeBytes, bytes.count)
    where bytes[start...place].allSatisfy(\.mayBeOfEscape) {
      guard let match = search.ending(in: bytes, from: place + 1, &beginnings),
        match.range.count >= Limits.secretCharacters,
        match.range.upperBound > longest?.range.upperBound ?? 0
      else { continue }
      longest = match
    }
    return longest
  }

  /// The most bytes of a cut escape that are looked over.
  private static let mostEscapeBytes = 216

  /// The text up to where a secret may have begun: what goes on is shown when it has.
  public func withholding(_ text: String) -> String {
    var text = masked(text)
    let count = text.withUTF8 { beginning(before: $0.count, in: $0)?.range.lowerBound ?? $0.count }
    return String(decoding: text.utf8.prefix(count), as: UTF8.self)
  }
}

extension UInt8 {
  /// Whether it may stand within an escape, such as `\u0022` or `&quot;`.
  fileprivate var mayBeOfEscape: Bool { base64Digit != nil || "\\%&#;'\"".utf8.contains(self) }
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
