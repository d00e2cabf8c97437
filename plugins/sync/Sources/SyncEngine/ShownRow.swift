import SyncCore

/// A record as a row in a device's file.
package struct ShownRow: Hashable, Sendable {
  package var isDeleted: Bool
  /// The time of the record's last change, in milliseconds since 1970.
  package var changedMilliseconds: Int64
  /// The name of the device that made the last change.
  package var changedBy: String
  /// The values of the record's fields, in the order of the schema.
  package var values: [Scalar]

  package init(isDeleted: Bool, changedMilliseconds: Int64, changedBy: String, values: [Scalar]) {
    self.isDeleted = isDeleted
    self.changedMilliseconds = changedMilliseconds
    self.changedBy = changedBy
    self.values = values
  }

  /// The row as compact bytes.
  package func packed() -> [UInt8] {
    var packer = Packer()
    packer.byte(isDeleted ? 1 : 0)
    packer.signed(changedMilliseconds)
    packer.text(changedBy)
    packer.count(values.count)
    for value in values { packer.data(value.bytes) }
    return packer.bytes
  }

  package init(packed bytes: [UInt8]) throws(PackingError) {
    var reader = Unpacker(bytes)
    isDeleted = try reader.byte("whether it is deleted") == 1
    changedMilliseconds = try reader.signed("the latest change")
    changedBy = try reader.text("the device", limit: 1 << 10)
    values = []
    for _ in 0..<(try reader.count("the number of values", limit: 1 << 16)) {
      values.append(Scalar(bytes: try reader.data("a value", limit: 1 << 24)) ?? .null)
    }
  }
}
