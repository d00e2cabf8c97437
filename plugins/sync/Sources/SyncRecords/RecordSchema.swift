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
    /// What happens to a record that is deleted and changed at the same time.
    public var delete: DeleteRule
    /// How records are arbitrated whole; nil if they are merged field by field.
    public var decide: DecideRule?
    /// How many records there may be; nil for any number.
    public var limit: Int?
    /// Under which of the types that zones had before there were schemas its records are kept, in the form of that type;
    /// nil for records as schemas have them.
    public var alias: StoredType?
    /// The keys that records may have; nil for any.
    public var keys: [String]?
    /// Whether a record is written by one device alone: that whose identity is its key.
    public var isWrittenByItself = false
    /// Whether records may have fields that are not named here: the newest value of each counts.
    public var hasOtherFields = false
    /// The fields, in the order of the file.
    public var fields: [Field]

    /// The type under which a zone keeps its records.
    public var type: String { alias?.rawValue ?? name }

    /// The field with this name.
    public func field(_ name: String) -> Field? { fields.first { $0.name == name } }

    /// The field that is kept under another name.
    public func field(storedAs name: String) -> Field? { fields.first { $0.alias ?? $0.name == name } }

    /// The rules that a zone keeps for it.
    public var rules: ZoneRules {
      var texts = Dictionary(fields.map { ($0.name, $0.rule.text) }, uniquingKeysWith: { first, _ in first })
      texts[ZoneRules.deleteName] = delete.rawValue
      texts[ZoneRules.decideName] = decide?.text
      texts[ZoneRules.limitName] = limit.map(String.init)
      texts[ZoneRules.formName] = alias?.rawValue
      texts[ZoneRules.keysName] = keys.map { ZoneRules.text(ofKeys: $0) }
      if isWrittenByItself { texts[ZoneRules.writerName] = ZoneRules.writerItself }
      if hasOtherFields { texts[ZoneRules.otherFieldsName] = MergeRule.newest.rawValue }
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
    /// What it is called where the records are kept under an older type; nil for the same.
    public var alias: String?
  }

  /// The collection with this name.
  public func collection(_ name: String) -> Collection? { collections.first { $0.name == name } }

  /// The collection whose records a zone keeps under this type.
  public func collection(storedAs type: String) -> Collection? { collections.first { $0.type == type } }
}

/// The types of records that zones had before there were schemas. What other programs know them by stays.
public enum StoredType: String, Hashable, Sendable, CaseIterable {
  /// A timer's state, one unit, and its count.
  case timerState = "CD_TimerState"
  /// Settings, as texts by name.
  case settings = "CD_Settings"
  /// What a device says of itself, as texts by name.
  case deviceInfo = "CD_DeviceInfo"

  /// What the collection of its records is called: a zone keeps rules under this name.
  public var collection: String {
    switch self {
    case .timerState: "timers"
    case .settings: "settings"
    case .deviceInfo: "devices"
    }
  }

  /// The fields of its form, and what they are called there; nil for any.
  public var fields: KeyValuePairs<String, String>? {
    guard self == .timerState else { return nil }
    return [
      "state": "stateType", "remaining": "stateData.remainingSeconds", "is-paused": "isPaused",
      "completed": "completedPomodoros",
    ]
  }
}
