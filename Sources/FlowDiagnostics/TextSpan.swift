/// A stretch of a source text, as byte offsets: `start` is the first byte, `end` the one behind the last.
///
/// A span may be empty; it then marks the location in front of `start`.
public struct TextSpan: Sendable, Hashable, Comparable {
  /// The offset of the first byte.
  public var start: Int
  /// The offset behind the last byte; never below `start`.
  public var end: Int

  /// The bytes from `start` up to `end`; an `end` below `start` counts as `start`.
  public init(_ start: Int, _ end: Int) {
    self.start = start
    self.end = max(start, end)
  }

  /// The location in front of the byte at `offset`.
  public init(at offset: Int) { self.init(offset, offset) }

  /// Whether there is nothing between start and end.
  public var isEmpty: Bool { start == end }

  /// Whether all of another span is in this one.
  public func contains(_ other: TextSpan) -> Bool { start <= other.start && other.end <= end }

  /// By start, then by end.
  public static func < (left: TextSpan, right: TextSpan) -> Bool {
    (left.start, left.end) < (right.start, right.end)
  }

  /// The part of this span from `lower` to `upper`, counted from its start.
  public func part(_ lower: Int, _ upper: Int) -> TextSpan { TextSpan(start + lower, min(start + upper, end)) }
}
