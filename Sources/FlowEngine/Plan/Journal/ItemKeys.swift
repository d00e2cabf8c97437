/// The idempotency keys that an earlier process may have used for a step's items.
///
/// An index keeps its key while its item stays the same. It gets a new key if the item differs or its success was
/// discarded, because a service that recognizes keys would otherwise return the result of the earlier request.
struct ItemKeys: Sendable {
  /// The hashes of the items as last recorded.
  var hashes: [UInt64] = []
  /// For each index, the number of times that its key has changed.
  var repetitions: [Int: Int] = [:]

  /// True if the item at this index has the same hash in `list`.
  func isSame(_ item: Int, in list: [UInt64]) -> Bool {
    item < hashes.count && item < list.count && hashes[item] == list[item]
  }

  /// Returns, for each index, the number of key changes after the items have been replaced by those of `list`.
  func repetitions(in list: [UInt64]) -> [Int: Int] {
    var repetitions = repetitions
    for item in hashes.indices where !isSame(item, in: list) { repetitions[item, default: 0] += 1 }
    return repetitions
  }
}
