/// A range of a source text in bytes, from `start` to before `end`.
///
/// An empty span marks the location before `start`.
package struct TextSpan: Sendable, Hashable, Comparable {
  /// The offset of the first byte.
  package var start: Int
  /// The offset after the last byte; never less than `start`.
  package var end: Int

  /// Creates a span from `start` to `end`; an `end` below `start` counts as `start`.
  package init(_ start: Int, _ end: Int) {
    self.start = start
    self.end = max(start, end)
  }

  /// Creates an empty span before the byte at `offset`.
  package init(at offset: Int) { self.init(offset, offset) }

  /// True if the span is empty.
  package var isEmpty: Bool { start == end }

  /// Returns whether this span contains all of another one.
  package func contains(_ other: TextSpan) -> Bool { start <= other.start && other.end <= end }

  /// Orders by start, then by end.
  package static func < (left: TextSpan, right: TextSpan) -> Bool {
    (left.start, left.end) < (right.start, right.end)
  }

  /// Returns the part of this span from `lower` to `upper`, counted from its start.
  package func part(_ lower: Int, _ upper: Int) -> TextSpan { TextSpan(start + lower, min(start + upper, end)) }
}
