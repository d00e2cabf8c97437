/// The idempotency keys that an earlier process may have used for a step's items.
///
/// An index keeps its key while its item stays the same. If the item differs, or its success was discarded, the index
/// gets a new key. Otherwise a service that recognizes keys would return the result of the earlier request.
struct ItemKeys: Sendable {
  /// The hashes of the items as last recorded.
  var hashes: [UInt64] = []
  /// The number of key changes, by index.
  var repetitions: [Int: Int] = [:]

  /// True if the item at this index is equal in `list`.
  func isSame(_ item: Int, in list: [UInt64]) -> Bool {
    item < hashes.count && item < list.count && hashes[item] == list[item]
  }

  /// Returns the numbers of key changes after the items are replaced by those of `list`.
  func repetitions(in list: [UInt64]) -> [Int: Int] {
    var repetitions = repetitions
    for item in hashes.indices where !isSame(item, in: list) { repetitions[item, default: 0] += 1 }
    return repetitions
  }
}
