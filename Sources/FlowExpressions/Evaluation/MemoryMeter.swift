/// Counts the memory that the results of an expression use, to limit nested calls such as those of `format`.
///
/// Similar to GitHub Actions, it counts two bytes for each byte of UTF-8, eight for each element, and an overhead for
/// each string and collection. The memory of arguments is released when a function returns a scalar.
struct MemoryMeter {
  /// The maximum amount of memory in bytes: 1 MiB.
  static let limit = 1 << 20

  /// An upper bound for the number of elements in a list within the limit.
  static let elementLimit = limit / 8

  private(set) var used = 0

  /// Counts the memory of a new string. Returns false if the limit is exceeded.
  mutating func add(_ text: String) -> Bool { add(26 + 2 * text.utf8.count) }

  /// Counts the memory of a new collection with `elements` elements. Returns false if the limit is exceeded.
  mutating func add(elements: Int) -> Bool { add(24 + 8 * elements) }

  /// Releases all memory that has been counted since ``used`` had the value `mark`.
  mutating func release(to mark: Int) { used = mark }

  private mutating func add(_ bytes: Int) -> Bool {
    used += bytes
    return used <= Self.limit
  }
}
