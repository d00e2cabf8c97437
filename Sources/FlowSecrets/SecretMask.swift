import FlowDiagnostics
import FlowModel
import Synchronization

/// Finds the secrets of a run in texts, even if they are encoded, and masks them.
///
/// Numbers, keys and names are not searched.
package final class SecretMask: Sendable {
  /// The text that is shown in place of a secret.
  package static let hidden = "***"

  /// A text that is searched for, and the name of the secret to which it belongs.
  struct Part: Sendable {
    var secret: String
    var part: SecretEncoding.Part
  }

  /// The texts that are searched for. More are added if the run receives another secret.
  private struct Known: Sendable {
    var parts: [Part]
    var pieces: SecretPieces
  }

  private let known: Mutex<Known>
  /// The searches. Usually there is only one, which decodes up to three encodings. If there are too many texts for it,
  /// a second one finds the rest.
  let searches: Mutex<[SecretSearch]>
  /// The names of forms that have been found, by their bytes.
  let names = Mutex<[EncodedPart: String]>([:])

  var parts: [Part] { known.withLock { $0.parts } }
  private var pieces: SecretPieces { known.withLock { $0.pieces } }

  /// Creates a mask for secrets with their names. Texts shorter than ``Limits/secretCharacters`` are ignored.
  package init(_ secrets: [(name: String, text: String)]) {
    let parts = Self.parts(of: secrets)
    searches = Mutex(Self.searches(for: parts))
    known = Mutex(Known(parts: parts, pieces: Self.pieces(of: parts)))
  }

  /// Also masks these secrets from now on.
  package func add(_ secrets: [(name: String, text: String)]) {
    let more = Self.parts(of: secrets)
    guard !more.isEmpty else { return }
    known.withLock { known in
      known.parts += more
      known.pieces = Self.pieces(of: known.parts)
      let found = Self.searches(for: known.parts)
      searches.withLock { $0 = found }
    }
  }

  private static func parts(of secrets: [(name: String, text: String)]) -> [Part] {
    secrets.flatMap { secret in
      SecretEncoding.parts(of: secret.text).map { Part(secret: secret.name, part: $0) }
    }
  }

  private static func searches(for parts: [Part]) -> [SecretSearch] {
    let (few, many) = parts.count <= mostNestedParts ? (parts, []) : split(parts)
    return [(few, EncodedPosition.levels), (many, 1)].filter { !$0.0.isEmpty }.map { parts, encodings in
      SecretSearch(parts.map(\.part.bytes), encodings: encodings)
    }
  }

  private static func pieces(of parts: [Part]) -> SecretPieces {
    SecretPieces(parts.filter { $0.part.name == "text" }.map(\.part.bytes))
  }

  /// The maximum number of secrets and lines that are found in up to three encodings. If there are more, lines are
  /// found in only one encoding.
  private static let mostNestedParts = 100

  /// Separates whole secrets from parts of secrets.
  private static func split(_ parts: [Part]) -> ([Part], [Part]) {
    (parts.filter { $0.part.name == "text" }, parts.filter { $0.part.name != "text" })
  }

  /// Returns the longest match of each search at each start, in the order of the starts.
  func matches(in bytes: UnsafeBufferPointer<UInt8>, isCut: Bool = false) -> [SecretSearch.Match] {
    searches.withLock { searches in
      if searches.count == 1 { return searches[0].matches(in: bytes, isCut: isCut) }
      var found: [SecretSearch.Match] = []
      for index in searches.indices { found += searches[index].matches(in: bytes, isCut: isCut) }
      found.sort { $0.range.lowerBound < $1.range.lowerBound }
      return found
    }
  }

  /// Returns the text with all secrets masked.
  ///
  /// - Parameters:
  ///   - text: The text to show or record.
  ///   - isCut: True if the text was cut off, so that it may end with the beginning of a secret.
  package func masked(_ text: String, isCut: Bool = false) -> String {
    var text = text
    return text.withUTF8 { bytes in
      let ranges = hiddenRanges(in: bytes, isCut: isCut)
      return ranges.isEmpty ? nil : Self.hiding(ranges, in: bytes)
    } ?? text
  }

  /// Returns the ranges to mask, in order. They neither overlap nor touch.
  func hiddenRanges(in bytes: UnsafeBufferPointer<UInt8>, isCut: Bool) -> [Range<Int>] {
    var ranges = searches.withLock { searches in
      searches.count == 1
        ? searches[0].ranges(in: bytes, isCut: isCut)
        : Self.merged(searches.indices.flatMap { searches[$0].ranges(in: bytes, isCut: isCut) })
    }
    let lines = pieces.lines(in: bytes)
    if !lines.isEmpty { ranges = Self.merged(ranges + lines) }
    let parts = partsAtGaps(in: bytes)
    if !parts.isEmpty { ranges = Self.merged(ranges + parts.map(\.hidden)) }
    return ranges
  }

  private static func merged(_ ranges: [Range<Int>]) -> [Range<Int>] {
    var merged: [Range<Int>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) { merged.merge(range) }
    return merged
  }

  private static func hiding(_ ranges: [Range<Int>], in bytes: UnsafeBufferPointer<UInt8>) -> String {
    let count = ranges.reduce(bytes.count) { $0 - $1.count + hidden.utf8.count }
    return String(unsafeUninitializedCapacity: count) { result in
      var (start, end) = (0, 0)
      func copy(_ part: UnsafeBufferPointer<UInt8>) {
        _ = UnsafeMutableBufferPointer(rebasing: result[end...]).update(fromContentsOf: part)
        end += part.count
      }
      for range in ranges {
        copy(UnsafeBufferPointer(rebasing: bytes[start..<range.lowerBound]))
        for byte in hidden.utf8 {
          result[end] = byte
          end += 1
        }
        start = range.upperBound
      }
      copy(UnsafeBufferPointer(rebasing: bytes[start...]))
      return end
    }
  }

  // MARK: Shortened texts

  /// A part of a secret next to a gap.
  struct PartAtGap {
    var match: SecretSearch.Match
    /// True if the part is the beginning of the secret, false if it is the end.
    var isBeginning: Bool
    /// The range to mask. It includes the rest of an escape before the part.
    var hidden: Range<Int>
  }

  /// Returns the parts of secrets next to the gaps in `bytes`. A gap is a line in place of text that was left out.
  func partsAtGaps(in bytes: UnsafeBufferPointer<UInt8>) -> [PartAtGap] {
    var parts: [PartAtGap] = []
    for gap in LeftOut.gaps(in: bytes) {
      // The line break before the gap belongs either to the text or to the gap.
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

  /// Returns the longest beginning of a secret that ends at the byte before `end`, or nil if there is none.
  private func beginning(before end: Int, in bytes: UnsafeBufferPointer<UInt8>) -> SecretSearch.Match? {
    matches(in: UnsafeBufferPointer(rebasing: bytes[..<end]), isCut: true).first { $0.range.upperBound == end }
  }

  /// Returns the longest end of a secret that starts at `start`, or after the rest of an escape there. Returns nil if
  /// there is none.
  private func ending(after start: Int, in bytes: UnsafeBufferPointer<UInt8>) -> SecretSearch.Match? {
    searches.withLock { searches in
      searches.indices.compactMap { Self.ending(after: start, in: bytes, &searches[$0]) }
        .max { $0.range.upperBound < $1.range.upperBound }
    }
  }

  private static func ending(
    after start: Int, in bytes: UnsafeBufferPointer<UInt8>, _ search: inout SecretSearch
  ) -> SecretSearch.Match? {
    var longest = search.ending(in: bytes, from: start)
    for place in start..<min(start + mostEscapeBytes, bytes.count)
    where bytes[start...place].allSatisfy(\.mayBeOfEscape) {
      guard let match = search.ending(in: bytes, from: place + 1),
        match.range.count >= Limits.secretCharacters,
        match.range.upperBound > longest?.range.upperBound ?? 0
      else { continue }
      longest = match
    }
    return longest
  }

  /// The maximum length of the rest of an escape, in bytes.
  private static let mostEscapeBytes = 216

  /// Returns the text up to the beginning of a secret that may continue after the end of the text.
  package func withholding(_ text: String) -> String {
    var text = masked(text)
    let count = text.withUTF8 { beginning(before: $0.count, in: $0)?.range.lowerBound ?? $0.count }
    return String(decoding: text.utf8.prefix(count), as: UTF8.self)
  }
}

extension UInt8 {
  /// True if the byte may be part of an escape such as `\u0022` or `&quot;`.
  fileprivate var mayBeOfEscape: Bool { base64Digit != nil || "\\%&#;'\"".utf8.contains(self) }
}

extension SecretMask {
  /// Returns a message with all secrets masked. The message may contain lines of a command that were cut off after
  /// `lineBytes`, and values that were cut off before `...`.
  package func masked(message: String, cutAfter lineBytes: Int) -> String {
    let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.utf8.count >= lineBytes ? masked(printed: String($0), isCut: true) : String($0) }
    let text = TerminalText.commandText(masked(printed: lines.joined(separator: "\n")))
    guard text.contains("...") else { return text }
    let pieces = text.split(separator: "...", omittingEmptySubsequences: false)
    let beginnings = pieces.dropLast().map { masked(String($0), isCut: true) }
    return (beginnings + [String(pieces[pieces.count - 1])]).joined(separator: "...")
  }

  /// Returns a value with all secrets in its texts masked.
  package func masked(_ value: Value) -> Value {
    switch value {
    case .string(let text): .string(masked(text))
    case .array(let values): .array(values.map { masked($0) })
    case .object(let object): .object(masked(object))
    default: value
    }
  }

  /// Returns an object with all secrets in its texts masked.
  package func masked(_ object: ValueObject) -> ValueObject {
    var result = ValueObject()
    for (key, value) in object { result[key] = masked(value) }
    return result
  }
}
