/// The line with which flowrun replaces the middle of a text that is too long.
package enum LeftOut {
  private static let begin = Array("[flowrun: ".utf8)
  private static let end = Array(" bytes left out]\n".utf8)

  /// Returns the line that replaces `bytes` bytes.
  package static func line(bytes: Int) -> String {
    String(decoding: begin, as: UTF8.self) + "\(bytes)" + String(decoding: end, as: UTF8.self)
  }

  /// Text whose middle flowrun has left out.
  package struct CutText: Sendable, Hashable {
    /// The range in UTF-8 bytes of the line that replaces the missing middle.
    package var gap: Range<Int>
    /// The length of the complete text in bytes.
    package var wholeBytes: Int
    /// The number of bytes of the original text that have been kept.
    package var keptBytes: Int
  }

  /// Returns the gap in `text` and the original size if flowrun has shortened it. Returns nil if the text is complete.
  /// A program may also print a line that looks like a gap, but usually not in the middle of its output, so lines near
  /// the ends are ignored.
  package static func cut(in text: String) -> CutText? {
    guard text.utf8.count > leastBytes else { return nil }
    var text = text
    return text.withUTF8 { bytes in
      for gap in gaps(in: bytes) {
        guard gap.lowerBound > 0, bytes[gap.lowerBound - 1] == UInt8(ascii: "\n"), gap.lowerBound >= bytes.count / 4,
          gap.upperBound <= bytes.count - bytes.count / 4,
          let missing = Int(
            String(decoding: bytes[(gap.lowerBound + begin.count)..<(gap.upperBound - end.count)], as: UTF8.self))
        else { continue }
        let kept = bytes.count - gap.count
        let (whole, overflows) = kept.addingReportingOverflow(missing)
        return overflows ? nil : CutText(gap: gap, wholeBytes: whole, keptBytes: kept)
      }
      return nil
    }
  }

  /// The maximum size in bytes of a text that is never shortened.
  private static let leastBytes = Limits.leastCommandOutputBytes

  /// Returns the ranges of all lines in `bytes` that have the form of ``line(bytes:)``. Returns none if there are at
  /// most `leastBytes` bytes.
  package static func gaps(in bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    var gaps: [Range<Int>] = []
    guard bytes.count > leastBytes else { return gaps }
    // Local copies, because each access to a global variable checks whether it has been initialized.
    let (begin, end) = (begin, end)
    let first = begin[0]
    let last = bytes.count - begin.count - end.count
    var index = 0
    while index < last {
      guard bytes[index] == first, bytes[index...].starts(with: begin) else {
        index += 1
        continue
      }
      var close = index + begin.count
      while close < bytes.count, bytes[close] >= UInt8(ascii: "0"), bytes[close] <= UInt8(ascii: "9") { close += 1 }
      if close > index + begin.count, bytes[close...].starts(with: end) { gaps.append(index..<close + end.count) }
      index = close
    }
    return gaps
  }
}
