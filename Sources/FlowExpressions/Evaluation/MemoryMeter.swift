/// Counts what an expression makes, so that `format` of `format` cannot fill the memory.
///
/// Counted as GitHub Actions does: two bytes a character and some for each string and collection. What a function made
/// on the way to its result is returned.
struct MemoryMeter {
  /// The most that may be alive at once: 1 MiB.
  static let limit = 1 << 20

  /// More elements than a list can have within the limit.
  static let elementLimit = limit / 8

  private(set) var used = 0

  /// Counts a string that was made.
  mutating func add(_ text: String) -> Bool { add(26 + 2 * text.utf8.count) }

  /// Counts a collection of this many elements that was made.
  mutating func add(elements: Int) -> Bool { add(24 + 8 * elements) }

  /// Returns all that was counted since `used` was `mark`.
  mutating func release(to mark: Int) { used = mark }

  private mutating func add(_ bytes: Int) -> Bool {
    used += bytes
    return used <= Self.limit
  }
}
