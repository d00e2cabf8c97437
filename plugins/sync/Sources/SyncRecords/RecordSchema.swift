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

  /// A schema of collections.
  package init(name: String, version: Int, budget: RequestBudget.Limits? = nil, collections: [Collection]) {
    self.name = name
    self.version = version
    self.budget = budget
    self.collections = collections
  }

  /// The records of one kind.
  public struct Collection: Hashable, Sendable {
    /// The collection's name.
    public var name: String
    /// What happens to a record that is deleted and changed at the same time.
    public var delete: DeleteRule
    /// How records are arbitrated whole; nil if they are merged field by field.
    public var decide: DecideRule?
    /// How many records there may be; nil for any number.
    public var limit: Int?
    /// The keys that records may have; nil for any.
    public var keys: [String]?
    /// Whether a record is written by one device alone: that whose identity is its key.
    public var isWrittenByItself = false
    /// Whether records may have fields that are not named here: the newest value of each counts.
    public var hasOtherFields = false
    /// The fields, in the order of the file.
    public var fields: [Field]

    /// A collection with these rules.
    package init(
      name: String, delete: DeleteRule, decide: DecideRule? = nil, limit: Int? = nil, keys: [String]? = nil,
      isWrittenByItself: Bool = false, hasOtherFields: Bool = false, fields: [Field]
    ) {
      self.name = name
      self.delete = delete
      self.decide = decide
      self.limit = limit
      self.keys = keys
      self.isWrittenByItself = isWrittenByItself
      self.hasOtherFields = hasOtherFields
      self.fields = fields
    }

    /// The field with this name.
    public func field(_ name: String) -> Field? { fields.first { $0.name == name } }

    /// The rules that a zone keeps for it.
    public var rules: ZoneRules { ZoneRules(collection: name, texts: ruleTexts) }

    /// The same in words, by name.
    var ruleTexts: [String: String] {
      var texts = Dictionary(fields.map { ($0.name, $0.rule.text) }, uniquingKeysWith: { first, _ in first })
      texts[ZoneRules.deleteName] = delete.rawValue
      texts[ZoneRules.decideName] = decide?.text
      texts[ZoneRules.limitName] = limit.map(String.init)
      texts[ZoneRules.keysName] = keys.map { ZoneRules.text(ofKeys: $0) }
      if isWrittenByItself { texts[ZoneRules.writerName] = ZoneRules.writerItself }
      if hasOtherFields { texts[ZoneRules.otherFieldsName] = MergeRule.newest.rawValue }
      return texts
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
    public var isRequired = false

    /// A field with a rule.
    package init(name: String, rule: FieldRule, choices: [String]? = nil, isRequired: Bool = false) {
      self.name = name
      self.rule = rule
      self.choices = choices
      self.isRequired = isRequired
    }
  }

  /// The collection with this name.
  public func collection(_ name: String) -> Collection? { collections.first { $0.name == name } }

  /// This schema with the collection that every zone has: what its devices say of themselves.
  public var withDevices: RecordSchema {
    var schema = self
    if collection(DeviceInfo.collection) == nil { schema.collections.append(Self.devices) }
    return schema
  }

  private static let devices = Collection(
    name: DeviceInfo.collection, delete: .editWins, isWrittenByItself: true, hasOtherFields: true,
    fields: [
      .init(name: "device-name", rule: FieldRule(type: .string, merge: .newest)),
      .init(name: "platform", rule: FieldRule(type: .string, merge: .newest), choices: DeviceInfo.platforms),
      .init(name: "app-version", rule: FieldRule(type: .string, merge: .newest)),
      .init(name: "last-seen", rule: FieldRule(type: .integer, merge: .newest)),
    ])
}
