/// The idempotency keys of a step's items that an earlier process may have used.
///
/// An index keeps its key while its item stays the same. A different item, or the same one after its success was
/// discarded, gets a new key. Otherwise a service that honors keys would return the result of the earlier request.
struct ItemKeys: Sendable {
  /// The hashes of the last known items.
  var hashes: [UInt64] = []
  /// The number of times each index has changed its key.
  var repetitions: [Int: Int] = [:]

  /// True if the item at an index is the same in another list.
  func isSame(_ item: Int, in list: [UInt64]) -> Bool {
    item < hashes.count && item < list.count && hashes[item] == list[item]
  }

  /// Returns the number of key changes of each index after the items change to this list.
  func repetitions(in list: [UInt64]) -> [Int: Int] {
    var repetitions = repetitions
    for item in hashes.indices where !isSame(item, in: list) { repetitions[item, default: 0] += 1 }
    return repetitions
  }
}
