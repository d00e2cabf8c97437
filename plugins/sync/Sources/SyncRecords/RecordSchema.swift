import SyncCore
import SyncEngine

/// The records of an app and their merge rules, as described in a `*.sync.yaml` file.
public struct RecordSchema: Hashable, Sendable {
  /// The schema's name.
  public var name: String
  /// The version, which is only informative. Compatibility depends on names and rules.
  public var version: Int
  /// The budget of a device, or nil if its traffic is not limited.
  package var budget: RequestBudget.Limits?
  /// The collections in the order of the file.
  package var collections: [Collection]

  package init(name: String, version: Int, budget: RequestBudget.Limits? = nil, collections: [Collection]) {
    self.name = name
    self.version = version
    self.budget = budget
    self.collections = collections
  }

  /// A collection: records of one kind with the same fields and rules.
  public struct Collection: Hashable, Sendable {
    /// The collection's name.
    public var name: String
    /// The rule for a record that one device deletes while another one changes it.
    package var delete: DeleteRule
    /// The rule that decides between whole states of a record. Nil if records are merged field by field.
    package var decide: DecideRule?
    /// The maximum number of records, or nil if there is no limit.
    package var limit: Int?
    /// The allowed keys of records, or nil if any key is allowed.
    package var keys: [String]?
    /// True if a record may be written only by the device whose name is the record's key.
    package var isWrittenByItself = false
    /// True if records may have fields that are not listed here. Such fields are merged by `newest`.
    package var hasOtherFields = false
    /// The fields in the order of the file.
    package var fields: [Field]

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

    /// Returns the field with this name, or nil if there is none.
    package func field(_ name: String) -> Field? { fields.first { $0.name == name } }

    /// The rules that a zone stores for the collection.
    package var rules: ZoneRules { ZoneRules(collection: name, texts: ruleTexts) }

    /// The rules as text, by name.
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

  /// The declaration of a field: its type, merge rule and allowed values.
  public struct Field: Hashable, Sendable {
    /// The field's name.
    public var name: String
    /// The type and the merge rule of the field.
    package var rule: FieldRule
    /// The allowed strings, or nil if any value is allowed.
    package var choices: [String]?
    /// True if every new record must have a value for the field.
    package var isRequired = false

    package init(name: String, rule: FieldRule, choices: [String]? = nil, isRequired: Bool = false) {
      self.name = name
      self.rule = rule
      self.choices = choices
      self.isRequired = isRequired
    }
  }

  /// Returns the collection with this name, or nil if there is none.
  public func collection(_ name: String) -> Collection? { collections.first { $0.name == name } }

  /// This schema with the collection of devices' descriptions, which exists in every zone.
  package var withDevices: RecordSchema {
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
