/// The part of a zone's records that a device receives: all records of some collections, or only those with given field
/// values.
///
/// Data outside of collections, such as the zone's rules, is always included. A record is matched by its content in the
/// zone, even if it is deleted.
public struct SyncSubscription: Hashable, Sendable {
  /// The collections, each with the values that its `newest` fields must have. A collection without such values is
  /// included completely.
  package var collections: [String: [String: Scalar]]

  /// The maximum size of all names and values together, in bytes.
  package static let maximumBytes = 4096

  package init(_ collections: [String: [String: Scalar]]) { self.collections = collections }

  /// True if the subscription includes a record with this content.
  package func includes(_ key: RecordKey, _ cell: Cell) -> Bool {
    guard RecordName.isWellFormed(key.type) else { return true }
    guard let filter = collections[key.type] else { return false }
    return filter.allSatisfy { name, value in
      let found = cell.fields.first { $0.name == name }.flatMap { Scalar(bytes: $0.value) }
      return found ?? .null == value
    }
  }

  /// True if the subscription includes all records of a type.
  package func includesAll(of type: String) -> Bool {
    !RecordName.isWellFormed(type) || collections[type]?.isEmpty == true
  }

  /// The subscription as compact bytes. Equal subscriptions have equal bytes.
  package func packed() -> [UInt8] {
    var packer = Packer()
    packer.count(collections.count)
    for (name, filter) in collections.sorted(by: { $0.key < $1.key }) {
      packer.text(name)
      packer.count(filter.count)
      for (field, value) in filter.sorted(by: { $0.key < $1.key }) {
        packer.text(field)
        packer.data(value.bytes)
      }
    }
    return packer.bytes
  }

  package init(packed bytes: [UInt8]) throws(PackingError) {
    var reader = Unpacker(bytes)
    self.init([:])
    for _ in 0..<(try reader.count("the number of collections", limit: Self.maximumBytes)) {
      let name = try reader.text("a collection", limit: RecordName.maximumLength)
      var filter: [String: Scalar] = [:]
      for _ in 0..<(try reader.count("the number of fields", limit: Self.maximumBytes)) {
        let field = try reader.text("a field", limit: RecordName.maximumLength)
        guard let value = Scalar(bytes: try reader.data("a value", limit: Self.maximumBytes)) else {
          throw .malformed(at: 0, reading: "a value", "is none")
        }
        filter[field] = value
      }
      collections[name] = filter
    }
    guard reader.isAtEnd else { throw .malformed(at: 0, reading: "the subscription", "has something after its end") }
  }
}

/// A changed record outside of a device's subscription. The device receives its key and sequence number but not its
/// content.
package struct RecordMention: Hashable, Sendable {
  package var key: RecordKey
  /// The sequence number, in the zone, of the record's last change.
  package var sequence: Int64

  package init(key: RecordKey, sequence: Int64) {
    self.key = key
    self.sequence = sequence
  }
}
