/// The rules that a zone keeps for one collection: the first device to name one fixes it, for all devices and the arbiter.
///
/// They are in a record of their own, `_schema/COLLECTION`: a field's name with its rule in words, and `_delete` and
/// `_limit` for the collection.
public struct ZoneRules: Hashable, Sendable {
  /// The type of the records that hold the rules.
  public static let type = "_schema"
  /// The name of the rule for deletions.
  public static let deleteName = "_delete"
  /// The name of the limit.
  public static let limitName = "_limit"

  /// The name under which the zone keeps how records are arbitrated whole.
  public static let decideName = "_decide"
  /// The name under which the keys stand that records may have.
  public static let keysName = "_keys"
  /// The name under which the zone keeps who may write a record.
  public static let writerName = "_writer"
  /// The name under which the zone keeps how fields that have no rule are merged.
  public static let otherFieldsName = "_other-fields"

  /// The only rule about who may write.
  public static let writerItself = "self"

  /// Which collection.
  public let collection: String
  /// The rules in words, by name.
  public let texts: [String: String]
  /// How records are arbitrated whole; nil if they are not.
  public let decide: DecideRule?
  /// What happens to a record that is deleted and changed at the same time.
  public let delete: DeleteRule
  /// The keys that records may have; nil for any.
  public let keys: [String]?
  /// Whether a record is written by one device alone: that whose identity is its key.
  public let isWrittenByItself: Bool
  /// Whether records may have fields that have no rule: the newest value of each counts.
  public let hasOtherFields: Bool
  /// The number of records that the collection may have; nil for any number.
  public let limit: Int?
  /// The rules of fields, by name.
  let fields: [String: FieldRule]

  /// The rules in words.
  public init(collection: String, texts: [String: String]) {
    self.collection = collection
    self.texts = texts
    decide = texts[Self.decideName].flatMap { DecideRule(text: $0) }
    delete = texts[Self.deleteName].flatMap { DeleteRule(rawValue: $0) } ?? .editWins
    keys = texts[Self.keysName].map { $0.split(separator: " ").map { RuleWords.read($0) } }
    isWrittenByItself = texts[Self.writerName] == Self.writerItself
    hasOtherFields = texts[Self.otherFieldsName] == MergeRule.newest.rawValue
    limit = texts[Self.limitName].flatMap { Int($0) }
    // What begins with '_' is about the collection.
    fields = texts.filter { !$0.key.hasPrefix("_") }.compactMapValues { FieldRule(text: $0) }
  }

  /// The rules that a zone holds for a collection.
  public init(collection: String, cell: Cell?) {
    self.init(collection: collection, texts: cell.map(Self.texts) ?? [:])
  }

  /// The rules in words that a cell holds, by name.
  public static func texts(of cell: Cell) -> [String: String] {
    texts(cell.fields.lazy.map { ($0.name, $0.value) })
  }

  /// The rules in words that a write names, by name.
  public static func texts(of write: Write) -> [String: String] {
    texts(write.fields.lazy.map { ($0.name, $0.value) })
  }

  private static func texts(_ fields: some Sequence<(String, [UInt8])>) -> [String: String] {
    Dictionary(fields.map { ($0, String(decoding: $1, as: UTF8.self)) }, uniquingKeysWith: { first, _ in first })
  }

  /// The record that holds the rules of a collection.
  public static func key(of collection: String) -> RecordKey { RecordKey(type: type, name: collection) }

  /// The rule of a field; nil when the zone has no such field.
  public func rule(of field: String) -> FieldRule? { fields[field] }

  /// Keys in words, as `keys` reads them.
  public static func text(ofKeys keys: [String]) -> String { RuleWords.text(keys) }

  /// In which rule other words differ from these, for a person; nil when they only name what is not named here.
  public func difference(to others: [String: String]) -> String? { Self.difference(collection, texts, others) }

  static func difference(_ collection: String, _ texts: [String: String], _ others: [String: String]) -> String? {
    for (name, text) in others.sorted(by: { $0.key < $1.key }) {
      guard let known = texts[name], known != text else { continue }
      let what = name.hasPrefix("_") ? "'\(name.dropFirst())' of '\(collection)'" : "'\(name)' of '\(collection)'"
      return "the zone keeps \(what) as '\(known)' and this schema says '\(text)'; a changed meaning needs a new name"
    }
    return nil
  }

  /// What keeps a write from naming rules of a collection of which the zone keeps those in a cell.
  static func problem(with write: Write, of collection: String, in cell: Cell) -> String? {
    guard RecordName.isWellFormed(collection) else { return "the collection '\(collection)' \(RecordName.rule)" }
    if write.payload != nil || write.record != nil || write.fields.isEmpty { return "rules are fields alone" }
    let (known, named) = (texts(of: cell), texts(of: write))
    // What the zone keeps already was checked when it came.
    for (name, text) in named.sorted(by: { $0.key < $1.key }) where known[name] != text {
      switch name {
      case Self.deleteName: if DeleteRule(rawValue: text) == nil { return "'\(text)' is not a rule for deletions" }
      case Self.limitName: if Int(text).map({ $0 > 0 }) != true { return "'\(text)' is not a limit" }
      case Self.decideName: if DecideRule(text: text) == nil { return "'\(text)' is not a rule that decides" }
      case Self.keysName: if text.split(separator: " ").isEmpty { return "'\(text)' does not name keys" }
      case Self.writerName: if text != Self.writerItself { return "'\(text)' is not a rule about who may write" }
      case Self.otherFieldsName:
        if text != MergeRule.newest.rawValue { return "'\(text)' is not a rule of fields without one" }
      default:
        guard RecordName.isWellFormed(name) else { return "the field '\(name)' \(RecordName.rule)" }
        if FieldRule(text: text) == nil { return "'\(text)' is not a rule of a field that this version knows" }
      }
    }
    return difference(collection, known, named)
  }

  /// What keeps a write from being one of a record of this collection.
  public func problem(with write: Write, for key: RecordKey) -> String? {
    guard let record = write.record else { return nil }
    if texts.isEmpty { return "the zone has no collection '\(collection)'" }
    if let problem = problem(withKey: key, by: write.dot.device) { return problem }
    if let payload = write.payload, let problem = problem(withState: payload) { return problem }
    for change in write.fields {
      guard let rule = rule(of: change.name) else {
        if hasOtherFields, Scalar(bytes: change.value) != nil { continue }
        return missing(change.name)
      }
      if rule.merge != .newest { return mismatch(change.name, rule, .newest) }
      guard let value = Scalar(bytes: change.value), rule.type.admits(value) else { return mistyped(change.name, rule) }
    }
    for change in record.changes {
      guard let rule = rule(of: change.name) else { return missing(change.name) }
      if rule.merge != change.kind.rule { return mismatch(change.name, rule, change.kind.rule) }
      for bytes in change.kind.values {
        guard let value = rule.scalar(bytes), value != .null, rule.element.admits(value) else {
          return mistyped(change.name, rule)
        }
      }
    }
    return nil
  }

  /// What keeps a device from writing to the record with this key.
  public func problem(withKey key: RecordKey, by device: DeviceID) -> String? {
    if let keys, !keys.contains(key.name) {
      return
        "the record '\(key)' is not in the zone; \(keys.count == 1 ? "did you mean" : "there are") \(keys.map { "'\($0)'" }.joined(separator: ", "))\(keys.count == 1 ? "?" : "")"
    }
    if isWrittenByItself, key.name != device.name {
      return "the device '\(device)' may only describe itself, not '\(key.name)' (one writer a record)"
    }
    return nil
  }

  private func problem(withState payload: [UInt8]) -> String? {
    guard decide != nil else { return "a record of '\(collection)' has no state of its own" }
    guard let state = RecordState(payload: payload) else { return "a state of '\(collection)' is damaged" }
    for (name, bytes) in state.values.sorted(by: { $0.key < $1.key }) {
      guard let rule = rule(of: name) else { return missing(name) }
      if rule.merge != .whole { return mismatch(name, rule, .whole) }
      guard let value = Scalar(bytes: bytes), rule.type.admits(value) else { return mistyped(name, rule) }
    }
    return nil
  }

  /// What keeps a cell that is returned from being a record of this collection.
  func problem(with cell: Cell, for key: RecordKey) -> String? {
    // A device that returns what a zone has lost starts with the rules, whose keys come first.
    if texts.isEmpty { return "the zone has no collection '\(collection)'" }
    let authors = cell.entries.map(\.dot.device) + cell.fields.map(\.stamp.device)
    for author in authors {
      if let problem = problem(withKey: key, by: author) { return problem }
    }
    for entry in cell.entries {
      if let problem = problem(withState: entry.payload) { return problem }
    }
    for field in cell.fields {
      let rule = rule(of: field.name)
      if rule?.merge != .newest, rule != nil || !hasOtherFields { return missing(field.name) }
      guard let rule else { continue }
      guard let value = Scalar(bytes: field.value), rule.type.admits(value) else { return mistyped(field.name, rule) }
    }
    for part in cell.content.parts {
      guard let rule = rule(of: part.name) else { return missing(part.name) }
      if rule.merge != part.rule { return mismatch(part.name, rule, part.rule) }
    }
    return nil
  }

  private func missing(_ field: String) -> String { "the zone has no field '\(field)' in '\(collection)'" }

  private func mismatch(_ field: String, _ rule: FieldRule, _ found: MergeRule) -> String {
    "the zone merges '\(field)' of '\(collection)' by \(rule.merge.rawValue), this write by \(found.rawValue)"
  }

  private func mistyped(_ field: String, _ rule: FieldRule) -> String {
    "'\(field)' of '\(collection)' takes \(rule.element.text)"
  }
}

/// How collections and fields may be called.
public enum RecordName {
  /// The longest name in bytes.
  public static let maximumLength = 64
  /// The rule in words, behind a name.
  public static let rule = "is not a name: names are 1 to 64 small letters, digits and '-', and begin with a letter"

  /// Whether a text may be a name.
  public static func isWellFormed(_ name: String) -> Bool {
    let bytes = name.utf8
    guard let first = bytes.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else { return false }
    return bytes.count <= maximumLength
      && bytes.allSatisfy {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || $0 == UInt8(ascii: "-")
      }
  }
}

extension FieldRule {
  /// A value that was written to a field with a rule of its own; nil when it is none.
  public func scalar(_ bytes: [UInt8]) -> Scalar? {
    hasEpochs ? EpochValue.read(bytes).flatMap { Scalar(bytes: $0.value) } : Scalar(bytes: bytes)
  }
}
