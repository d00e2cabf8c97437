import FlowDiagnostics
import FlowModel
import FlowSyntax
import SyncCore

/// Reads which records a collection has, who writes them, and in which form zones keep them.
extension SchemaReader {
  private static let keyLimit = 100

  mutating func access(_ parts: [String: PlacedValue.Member], _ collection: inout RecordSchema.Collection) {
    if let keys = parts["keys"] { collection.keys = self.keys(keys.value) }
    if let writer = parts["writer"] {
      collection.isWrittenByItself = only(
        ZoneRules.writerItself, writer, "the device whose identity is the record's key")
    }
    if let other = parts["other-fields"] {
      collection.hasOtherFields = only(MergeRule.newest.rawValue, other, "the newest value of each counts")
    }
    if let alias = parts["alias"] { collection.alias = word(alias.value, "alias", StoredType.self) }
  }

  private mutating func keys(_ value: PlacedValue) -> [String]? {
    guard case .list(let elements) = value.content, (1...Self.keyLimit).contains(elements.count) else {
      report(
        .wrongType, "'keys' must be a list of 1 to \(Self.keyLimit) keys, found \(value.found)", at: value.span)
      return nil
    }
    return elements.compactMap { element in
      if case .scalar(.string(let key)) = element.content, RecordKey(type: "records", name: key).isWellFormed {
        return key
      }
      report(
        .wrongType,
        "each of 'keys' must be a string of 1 to \(RecordKey.maximumLength) bytes, found \(element.found)",
        at: element.span)
      return nil
    }
  }

  /// Whether a key has the one value that it can have.
  private mutating func only(_ word: String, _ member: PlacedValue.Member, _ meaning: String) -> Bool {
    if case .scalar(.string(word)) = member.value.content { return true }
    report(
      .unknownValue, "'\(member.key)' is \(member.value.found)", at: member.value.span,
      help: "it can be '\(word)': \(meaning)")
    return false
  }

  /// An older type has a form of its own: what cannot be kept in it is reported.
  mutating func checkForm(of collection: RecordSchema.Collection, _ value: PlacedValue) {
    guard let type = collection.alias else { return }
    func complain(_ message: String, _ help: String? = nil) {
      report(.unknownValue, "'\(collection.name)' is kept as \(type.rawValue), \(message)", at: value.span, help: help)
    }
    if collection.name != type.collection { complain("which is called '\(type.collection)'") }
    if (collection.decide != nil) != (type == .timerState) {
      complain(type == .timerState ? "which is arbitrated whole by 'decide'" : "which is merged field by field")
    }
    if collection.limit != nil || collection.delete != .editWins { complain("which has no 'limit' and no 'delete'") }
    for field in collection.fields {
      let name = field.alias ?? field.name
      if let names = type.fields, names.first(where: { $0.key == field.name })?.value != name {
        complain(
          "which has no field '\(field.name)' with the alias '\(name)'",
          "its fields are \(names.map { "\($0.key) with \($0.value)" }.joined(separator: ", "))")
      }
      let isCount = field.name == "completed" && type == .timerState
      if isCount ? !field.rule.hasEpochs : ![.newest, .whole].contains(field.rule.merge) {
        complain("whose '\(field.name)' is merged by \(isCount ? "largest with epochs" : "newest")")
      }
      switch field.rule.type {
      case .string, .integer, .boolean, .duration: continue
      default: complain("which holds no \(field.rule.type.text)")
      }
    }
    for (name, _) in type.fields ?? [:] where collection.field(name) == nil {
      complain("which needs the field '\(name)'")
    }
  }
}
