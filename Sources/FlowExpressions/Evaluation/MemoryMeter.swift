/// Counts the memory of an expression's results, so that nested calls of `format` cannot exhaust it.
///
/// Counts like GitHub Actions: two bytes per character and an overhead per string and collection. Intermediate results
/// of a function are released.
struct MemoryMeter {
  /// The maximum in use at the same time: 1 MiB.
  static let limit = 1 << 20

  /// An upper bound for the elements of a list within the limit.
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
