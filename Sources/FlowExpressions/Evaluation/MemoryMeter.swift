/// Counts the memory for results of an expression, so that nested calls of `format` cannot use too much.
///
/// It counts like GitHub Actions: two bytes per character, and an overhead for each string and collection. Intermediate
/// results are released when a function returns.
struct MemoryMeter {
  /// The maximum amount in bytes: 1 MiB.
  static let limit = 1 << 20

  /// The maximum number of elements of a list that fits in the limit.
  static let elementLimit = limit / 8

  private(set) var used = 0

  /// Counts a new string. Returns false if the limit is exceeded.
  mutating func add(_ text: String) -> Bool { add(26 + 2 * text.utf8.count) }

  /// Counts a new collection with this many elements. Returns false if the limit is exceeded.
  mutating func add(elements: Int) -> Bool { add(24 + 8 * elements) }

  /// Releases everything that was counted since `used` was `mark`.
  mutating func release(to mark: Int) { used = mark }

  private mutating func add(_ bytes: Int) -> Bool {
    used += bytes
    return used <= Self.limit
  }
}
