/// A range of bytes in a source text, from `start` up to, but not including, `end`.
///
/// An empty range marks the position before `start`.
package struct TextSpan: Sendable, Hashable, Comparable {
  /// The offset of the first byte in the range.
  package var start: Int
  /// The offset after the last byte. It is never less than `start`.
  package var end: Int

  /// Creates a range. If `end` is less than `start`, the range is empty.
  package init(_ start: Int, _ end: Int) {
    self.start = start
    self.end = max(start, end)
  }

  /// Creates an empty range before the byte at `offset`.
  package init(at offset: Int) { self.init(offset, offset) }

  package var isEmpty: Bool { start == end }

  /// Returns true if this range contains the whole of `other`.
  package func contains(_ other: TextSpan) -> Bool { start <= other.start && other.end <= end }

  /// Orders ranges by their start, and those with the same start by their end.
  package static func < (left: TextSpan, right: TextSpan) -> Bool {
    (left.start, left.end) < (right.start, right.end)
  }

  /// Returns the part of this range from `lower` to `upper`. Both are counted from the start of the range.
  package func part(_ lower: Int, _ upper: Int) -> TextSpan { TextSpan(start + lower, min(start + upper, end)) }
}
