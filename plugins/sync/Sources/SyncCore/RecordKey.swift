/// Which record of a zone: its collection and its key, such as `timers` and `timer` (F10).
public struct RecordKey: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The collection, such as `timers`; `_schema` for the rules of collections.
  public var type: String
  /// The record's name, fixed for each cell: saving twice changes one record and never makes a second.
  public var name: String

  /// The longest type and the longest name in bytes.
  public static let maximumLength = 128
  /// The rule for both, in words.
  public static let rule =
    "record type and name take 1 to \(maximumLength) bytes each, without control characters"

  /// Names a record.
  public init(type: String, name: String) {
    self.type = type
    self.name = name
  }

  /// Whether both parts are within their limits and free of control characters, which not every store takes.
  public var isWellFormed: Bool {
    [type, name].allSatisfy { part in
      (1...Self.maximumLength).contains(part.utf8.count) && part.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
  }

  /// By type, then by name.
  public static func < (left: RecordKey, right: RecordKey) -> Bool {
    left.type == right.type ? left.name < right.name : left.type < right.type
  }

  /// `type/name`.
  public var description: String { "\(type)/\(name)" }
}
