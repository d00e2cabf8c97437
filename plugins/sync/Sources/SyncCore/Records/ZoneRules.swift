/// The rules that a zone stores for one collection. The first device that declares a rule fixes it for all devices and
/// the arbiter.
///
/// Each collection's rules are stored in the record `_schema/COLLECTION`: the rules of fields under the fields' names,
/// and the rules of the collection under `_delete`, `_limit` and so on.
package struct ZoneRules: Hashable, Sendable {
  /// The type of the records that contain rules.
  package static let type = "_schema"
  /// The name of the rule for deletions.
  package static let deleteName = "_delete"
  /// The name of the rule for the maximum number of records.
  package static let limitName = "_limit"

  /// The name of the rule for records that are decided as a whole.
  package static let decideName = "_decide"
  /// The name of the rule for the allowed keys.
  package static let keysName = "_keys"
  /// The name of the rule that determines the allowed writers of a record.
  package static let writerName = "_writer"
  /// The name of the rule for fields that do not have their own rule.
  package static let otherFieldsName = "_other-fields"

  /// The only allowed value of the rule for writers.
  package static let writerItself = "self"

  package let collection: String
  /// The rules as text, by name.
  package let texts: [String: String]
  /// The rule for records that are decided as a whole, or nil.
  package let decide: DecideRule?
  /// The rule for a record that one device deletes while another one changes it.
  package let delete: DeleteRule
  /// The keys that records may have, or nil if any key is allowed.
  package let keys: [String]?
  /// True if a record may be written only by the device whose name is the record's key.
  package let isWrittenByItself: Bool
  /// True if records may have fields without their own rule, which are merged by `newest`.
  package let hasOtherFields: Bool
  /// The maximum number of records in the collection, or nil if there is no limit.
  package let limit: Int?
  /// The merge rules of the fields, by field name.
  let fields: [String: FieldRule]

  /// Parses the rules from their text.
  package init(collection: String, texts: [String: String]) {
    self.collection = collection
    self.texts = texts
    decide = texts[Self.decideName].flatMap { DecideRule(text: $0) }
    delete = texts[Self.deleteName].flatMap { DeleteRule(rawValue: $0) } ?? .editWins
    keys = texts[Self.keysName].map { $0.split(separator: " ").map { RuleWords.read($0) } }
    isWrittenByItself = texts[Self.writerName] == Self.writerItself
    hasOtherFields = texts[Self.otherFieldsName] == MergeRule.newest.rawValue
    limit = texts[Self.limitName].flatMap { Int($0) }
    // Names that begin with '_' are rules of the collection itself.
    fields = texts.filter { !$0.key.hasPrefix("_") }.compactMapValues { FieldRule(text: $0) }
  }

  /// Reads the rules that a zone stores for a collection.
  package init(collection: String, cell: Cell?) {
    self.init(collection: collection, texts: cell.map(Self.texts) ?? [:])
  }

  /// Returns the rules in a cell as text, by name.
  package static func texts(of cell: Cell) -> [String: String] {
    texts(cell.fields.lazy.map { ($0.name, $0.value) })
  }

  /// Returns the rules in a write as text, by name.
  package static func texts(of write: Write) -> [String: String] {
    texts(write.fields.lazy.map { ($0.name, $0.value) })
  }

  private static func texts(_ fields: some Sequence<(String, [UInt8])>) -> [String: String] {
    Dictionary(fields.map { ($0, String(decoding: $1, as: UTF8.self)) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the key of the record that stores a collection's rules.
  package static func key(of collection: String) -> RecordKey { RecordKey(type: type, name: collection) }

  /// Returns the rule of a field, or nil if there is none or only a newer version can read it.
  package func rule(of field: String) -> FieldRule? { fields[field] }

  /// Encodes the allowed keys as the text of the rule `_keys`.
  package static func text(ofKeys keys: [String]) -> String { RuleWords.text(keys) }

  /// Returns a message about the first rule that differs in `others`, or nil if `others` only adds rules.
  package func difference(to others: [String: String]) -> String? { Self.difference(collection, texts, others) }

  static func difference(_ collection: String, _ texts: [String: String], _ others: [String: String]) -> String? {
    for (name, text) in others.sorted(by: { $0.key < $1.key }) {
      guard let known = texts[name], known != text else { continue }
      let what = name.hasPrefix("_") ? "'\(name.dropFirst())' of '\(collection)'" : "'\(name)' of '\(collection)'"
      return "the zone keeps \(what) as '\(known)' and this schema says '\(text)'; a changed meaning needs a new name"
    }
    return nil
  }

  /// Returns the reason why a write may not set rules of a collection, or nil if it may. `cell` contains the current
  /// rules.
  static func problem(with write: Write, of collection: String, in cell: Cell) -> String? {
    guard RecordName.isWellFormed(collection) else { return "the collection '\(collection)' \(RecordName.rule)" }
    if write.payload != nil || write.record != nil || write.fields.isEmpty { return "rules are fields alone" }
    let (known, named) = (texts(of: cell), texts(of: write))
    // The rules that the zone already has were checked when they were added.
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

  /// Returns the reason why this collection rejects a write, or nil if it accepts the write.
  package func problem(with write: Write, for key: RecordKey) -> String? {
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

  /// Returns the reason why a device may not write to the record with this key, or nil if it may.
  package func problem(withKey key: RecordKey, by device: DeviceID) -> String? {
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

  /// Returns the reason why this collection rejects a cell returned by a device, or nil if it accepts the cell.
  func problem(with cell: Cell, for key: RecordKey) -> String? {
    // A device that returns lost content to a zone sends the rules first, because their keys sort first.
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

/// The rule for names of collections and fields.
package enum RecordName {
  /// The maximum length of a name, in bytes.
  package static let maximumLength = 64
  /// The rule for names, as the end of a message that begins with the name.
  package static let rule = "is not a name: names are 1 to 64 small letters, digits and '-', and begin with a letter"

  /// True if a string is a valid name.
  package static func isWellFormed(_ name: String) -> Bool {
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
  /// Reads a value of a field with this rule. Returns nil if the bytes are invalid.
  package func scalar(_ bytes: [UInt8]) -> Scalar? {
    hasEpochs ? EpochValue.read(bytes).flatMap { Scalar(bytes: $0.value) } : Scalar(bytes: bytes)
  }
}
