/// A field of a record with the rule `newest`: only its newest write counts (M9, F19).
package struct RecordField: Hashable, Sendable {
  package var name: String
  /// The time and the author of the write.
  package var stamp: Stamp
  /// The encoded value. Fields whose names are unknown to this version are kept.
  package var value: [UInt8]

  package init(name: String, stamp: Stamp, value: [UInt8]) {
    self.name = name
    self.stamp = stamp
    self.value = value
  }

  /// Returns the newer of two writes to one field. If their stamps are equal, the larger bytes win.
  static func newer(_ left: RecordField, _ right: RecordField) -> RecordField {
    if left.stamp != right.stamp { return left.stamp > right.stamp ? left : right }
    return left.value.lexicographicallyPrecedes(right.value) ? right : left
  }

  /// Merges two lists of fields that are sorted by name.
  static func merged(_ left: [RecordField], _ right: [RecordField]) -> [RecordField] {
    if left.isEmpty || left == right { return right }
    if right.isEmpty { return left }
    var result: [RecordField] = []
    result.reserveCapacity(left.count + right.count)
    var (i, j) = (0, 0)
    while i < left.count, j < right.count {
      if left[i].name == right[j].name {
        result.append(newer(left[i], right[j]))
        i += 1
        j += 1
      } else if left[i].name < right[j].name {
        result.append(left[i])
        i += 1
      } else {
        result.append(right[j])
        j += 1
      }
    }
    result.append(contentsOf: left[i...])
    result.append(contentsOf: right[j...])
    return result
  }
}
