/// A range of a source text in bytes, from `start` to before `end`.
///
/// An empty span marks the location before `start`.
public struct TextSpan: Sendable, Hashable, Comparable {
  /// The offset of the first byte.
  public var start: Int
  /// The offset after the last byte; never less than `start`.
  public var end: Int

  /// Creates a span from `start` to `end`; an `end` below `start` counts as `start`.
  public init(_ start: Int, _ end: Int) {
    self.start = start
    self.end = max(start, end)
  }

  /// Creates an empty span before the byte at `offset`.
  public init(at offset: Int) { self.init(offset, offset) }

  /// True if the span is empty.
  public var isEmpty: Bool { start == end }

  /// True if this span contains the whole other span.
  public func contains(_ other: TextSpan) -> Bool { start <= other.start && other.end <= end }

  /// Orders by start, then by end.
  public static func < (left: TextSpan, right: TextSpan) -> Bool {
    (left.start, left.end) < (right.start, right.end)
  }

  /// Returns the part of this span from `lower` to `upper`, counted from its start.
  package func part(_ lower: Int, _ upper: Int) -> TextSpan { TextSpan(start + lower, min(start + upper, end)) }
}
