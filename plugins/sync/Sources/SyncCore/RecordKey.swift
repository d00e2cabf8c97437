/// The identity of a record in a zone: its collection and its name, such as `timers` and `timer` (F10).
public struct RecordKey: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The collection, such as `timers`, or `_schema` for the rules of collections.
  public var type: String
  /// The record's name. It identifies one record, so saving twice changes that record instead of creating a second one.
  public var name: String

  /// The maximum length of the type and of the name, in bytes.
  package static let maximumLength = 128
  /// The rule for types and names, as text for messages.
  package static let rule =
    "record type and name take 1 to \(maximumLength) bytes each, without control characters"

  /// Creates the key of the record with this name in the collection `type`.
  public init(type: String, name: String) {
    self.type = type
    self.name = name
  }

  /// True if both parts are within their limits and contain no control characters, which some stores reject.
  package var isWellFormed: Bool {
    [type, name].allSatisfy { part in
      (1...Self.maximumLength).contains(part.utf8.count) && part.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
  }

  /// Orders keys by type, then by name.
  public static func < (left: RecordKey, right: RecordKey) -> Bool {
    left.type == right.type ? left.name < right.name : left.type < right.type
  }

  /// The key as `type/name`.
  public var description: String { "\(type)/\(name)" }
}
