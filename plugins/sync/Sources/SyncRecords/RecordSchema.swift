import SyncCore
import SyncEngine

/// Which records an app has and how they are merged, as a file `*.sync.yaml` says.
public struct RecordSchema: Hashable, Sendable {
  /// The schema's name.
  public var name: String
  /// Its version, which only people read: what counts are the names and their rules.
  public var version: Int
  /// What a device may send and receive; nil for as much as it likes.
  public var budget: RequestBudget.Limits?
  /// The collections, in the order of the file.
  public var collections: [Collection]

  /// The records of one kind.
  public struct Collection: Hashable, Sendable {
    /// The collection's name.
    public var name: String
    /// What becomes of a record that is deleted and changed at the same time.
    public var delete: DeleteRule
    /// How records are arbitrated whole; nil where they are merged field by field.
    public var decide: DecideRule?
    /// How many records there may be; nil for any number.
    public var limit: Int?
    /// The fields, in the order of the file.
    public var fields: [Field]

    /// The field with this name.
    public func field(_ name: String) -> Field? { fields.first { $0.name == name } }

    /// The rules that a zone keeps for it.
    public var rules: ZoneRules {
      var texts = Dictionary(fields.map { ($0.name, $0.rule.text) }, uniquingKeysWith: { first, _ in first })
      texts[ZoneRules.deleteName] = delete.rawValue
      texts[ZoneRules.decideName] = decide?.text
      texts[ZoneRules.limitName] = limit.map(String.init)
      return ZoneRules(collection: name, texts: texts)
    }
  }

  /// One value of a record.
  public struct Field: Hashable, Sendable {
    /// The field's name.
    public var name: String
    /// Its type and how it is merged.
    public var rule: FieldRule
    /// The texts that it may hold; nil for any.
    public var choices: [String]?
    /// Whether a new record must have it.
    public var isRequired: Bool
  }

  /// The collection with this name.
  public func collection(_ name: String) -> Collection? { collections.first { $0.name == name } }
}
