/// Counts the memory that the results of an expression use, to limit nested calls such as those of `format`.
///
/// It counts like GitHub Actions: two bytes per character, and an overhead for each string and collection. The memory
/// of intermediate results is released when a function returns.
struct MemoryMeter {
  /// The maximum amount of memory in bytes: 1 MiB.
  static let limit = 1 << 20

  /// The maximum number of elements that a list within the limit can have.
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
