/// One named value of a record that is merged field by field: the newest write of each name counts (M9, F19).
package struct RecordField: Hashable, Sendable {
  /// The field's name.
  package var name: String
  /// The time and the author of the write.
  package var stamp: Stamp
  /// The value, in the encoding of the record's type. Names that this version does not know are kept.
  package var value: [UInt8]

  /// Creates a field.
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
