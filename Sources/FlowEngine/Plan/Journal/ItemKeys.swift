/// The idempotency keys of a step's items that an earlier process may have used.
///
/// An index keeps its key while the item at it stays the same. Another item, or the same one once its success was given up,
/// gets a key of its own: a service that honors keys would answer it with the result of the other.
struct ItemKeys: Sendable {
  /// The items as they were last.
  var hashes: [UInt64] = []
  /// How often an index has begun a new key.
  var repetitions: [Int: Int] = [:]

  /// Whether the item at an index is the same in another list.
  func isSame(_ item: Int, in list: [UInt64]) -> Bool {
    item < hashes.count && item < list.count && hashes[item] == list[item]
  }

  /// How often each index has begun a new key once the items are these.
  func repetitions(in list: [UInt64]) -> [Int: Int] {
    var repetitions = repetitions
    for item in hashes.indices where !isSame(item, in: list) { repetitions[item, default: 0] += 1 }
    return repetitions
  }
}
