/// Which part of a zone's records a device wants: those of some collections, or only those whose fields hold these
/// values.
///
/// What is not a record of a collection, such as the zone's rules, belongs to every part. A record is asked by what the
/// zone holds of it, deleted or not.
public struct SyncSubscription: Hashable, Sendable {
  /// The wanted collections, each with the values that fields merged by `newest` must have; none for all its records.
  public var collections: [String: [String: Scalar]]

  /// The most bytes that the values and names may have together.
  public static let maximumBytes = 4096

  /// Wants these.
  public init(_ collections: [String: [String: Scalar]]) { self.collections = collections }

  /// Whether a record with this content belongs to the part.
  public func includes(_ key: RecordKey, _ cell: Cell) -> Bool {
    guard RecordName.isWellFormed(key.type) else { return true }
    guard let filter = collections[key.type] else { return false }
    return filter.allSatisfy { name, value in
      let found = cell.fields.first { $0.name == name }.flatMap { Scalar(bytes: $0.value) }
      return found ?? .null == value
    }
  }

  /// Whether all records of a type belong to it.
  public func includesAll(of type: String) -> Bool {
    !RecordName.isWellFormed(type) || collections[type]?.isEmpty == true
  }

  /// The subscription as compact bytes; equal ones give equal bytes.
  public func packed() -> [UInt8] {
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

  /// Reads what `packed()` gave.
  public init(packed bytes: [UInt8]) throws(PackingError) {
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

/// A record that has changed and does not belong to what a device has subscribed to: all that the device learns of it.
public struct RecordMention: Hashable, Sendable {
  /// Which record.
  public var key: RecordKey
  /// The zone's sequence number at the last change.
  public var sequence: Int64

  /// Mentions a record.
  public init(key: RecordKey, sequence: Int64) {
    self.key = key
    self.sequence = sequence
  }
}
