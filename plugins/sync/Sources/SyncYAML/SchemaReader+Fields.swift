import FlowDiagnostics
import FlowModel
import SyncCore
import SyncRecords

extension SchemaReader {
  private static let keys = ["type", "merge", "items", "to", "on-delete", "enum", "required", "epoch"]
  private static let types = FieldType.plain.map(\.name) + ["array", "reference"]

  mutating func field(
    _ member: PlacedValue.Member, among collections: [String], decides: Bool
  ) -> RecordSchema.Field? {
    let owner = "the field '\(member.key)'"
    guard let parts = map(member.value, owner, keys: Self.keys, required: ["type"]), let given = parts["type"] else {
      return nil
    }
    guard let type = type(given.value, parts, owner, collections) else { return nil }
    var field = RecordSchema.Field(
      name: member.key, rule: FieldRule(type: type, merge: decides ? .whole : .newest))
    if let merge = parts["merge"], let rule = word(merge.value, "merge", MergeRule.self, MergeRule.named) {
      check(rule, of: type, owner, merge.value)
      field.rule.merge = rule
    }
    if case .reference = type {
      let given = parts["on-delete"].flatMap { word($0.value, "on-delete", OnDelete.self) }
      field.rule.onDelete = given ?? .keep
    }
    if let epoch = parts["epoch"] {
      field.rule.hasEpochs = boolean(epoch.value, "epoch") ?? false
      if field.rule.hasEpochs, field.rule.merge != .largest {
        report(.unknownKey, "\(owner) has no epochs", at: epoch.keySpan, help: "'epoch' needs 'merge: largest'")
      }
    }
    if let required = parts["required"] { field.isRequired = boolean(required.value, "required") ?? false }
    if field.isRequired, field.rule.merge != .newest, field.rule.merge != .whole, let required = parts["required"] {
      report(
        .unknownValue, "\(owner) is merged by \(field.rule.merge.rawValue) and is never set directly",
        at: required.keySpan)
    }
    field.choices = parts["enum"].flatMap { choices($0.value, type, owner) }
    return field
  }

  private mutating func type(
    _ value: PlacedValue, _ parts: [String: PlacedValue.Member], _ owner: String, _ collections: [String]
  ) -> FieldType? {
    guard case .scalar(.string(let name)) = value.content, Self.types.contains(name) else {
      var help = "types are \(Self.types.joined(separator: ", "))"
      if case .scalar(.string(let name)) = value.content, let question = NearestName.question(name, among: Self.types) {
        help = "\(question) \(help)"
      }
      report(.unknownValue, "the type of \(owner) is \(value.found)", at: value.span, help: help)
      return nil
    }
    for (key, wanted) in [("items", "array"), ("to", "reference"), ("on-delete", "reference"), ("enum", "string")] {
      guard name != wanted, let stray = parts[key], !(key == "enum" && name == "array") else { continue }
      report(.unknownKey, "\(owner) is no \(wanted) and has no '\(key)'", at: stray.keySpan)
    }
    switch name {
    case "array":
      guard let items = parts["items"] else {
        report(
          .missingKey, "\(owner) lacks the key 'items'", at: value.span, help: "'items': the type of its elements")
        return nil
      }
      let names = FieldType.plain.map(\.name)
      return plain(items.value, "items", names).map { .array(of: $0) }
    case "reference":
      guard let target = parts["to"] else {
        report(.missingKey, "\(owner) lacks the key 'to'", at: value.span, help: "'to': the collection it refers to")
        return nil
      }
      guard case .scalar(.string(let collection)) = target.value.content, collections.contains(collection) else {
        let text = if case .scalar(.string(let text)) = target.value.content { text } else { "" }
        report(
          .unknownValue, "\(owner) refers to \(target.value.found), which is not a collection", at: target.value.span,
          help: NearestName.question(text, among: collections)
            ?? "collections are \(collections.joined(separator: ", "))")
        return nil
      }
      return .reference(to: collection)
    default: return FieldType(text: name)
    }
  }

  private mutating func plain(_ value: PlacedValue, _ key: String, _ names: [String]) -> FieldType? {
    if case .scalar(.string(let name)) = value.content, names.contains(name) { return FieldType(text: name) }
    var help = "'\(key)' is one of \(names.joined(separator: ", "))"
    if case .scalar(.string(let name)) = value.content, let question = NearestName.question(name, among: names) {
      help = "\(question) \(help)"
    }
    report(.unknownValue, "'\(key)' is \(value.found)", at: value.span, help: help)
    return nil
  }

  private mutating func check(_ merge: MergeRule, of type: FieldType, _ owner: String, _ value: PlacedValue) {
    let fits =
      switch (merge, type) {
      case (.newest, _), (.whole, _), (.counter, .integer), (.counter, .duration), (.set, .array), (.list, .array): true
      case (.largest, .integer), (.largest, .number), (.largest, .string), (.largest, .duration): true
      case (.smallest, .integer), (.smallest, .number), (.smallest, .string), (.smallest, .duration): true
      default: false
      }
    if fits { return }
    let needed =
      switch merge {
      case .counter: "integer or duration"
      case .set, .list: "array"
      default: "string, integer, number or duration"
      }
    report(
      .unknownValue, "\(owner) is of type \(type.text) and cannot be merged by \(merge.rawValue)", at: value.span,
      help: "\(merge.rawValue) needs the type \(needed)")
  }

  private mutating func choices(_ value: PlacedValue, _ type: FieldType, _ owner: String) -> [String]? {
    guard case .list(let elements) = value.content, !elements.isEmpty else {
      report(.wrongType, "'enum' of \(owner) must be a list of strings, found \(value.found)", at: value.span)
      return nil
    }
    guard type == .string || type == .array(of: .string) else {
      report(.unknownKey, "\(owner) does not hold strings and has no 'enum'", at: value.span)
      return nil
    }
    return elements.compactMap { element in
      if case .scalar(.string(let text)) = element.content { return text }
      report(.wrongType, "each value of 'enum' must be a string, found \(element.found)", at: element.span)
      return nil
    }
  }
}

// MARK: Helpers for all mappings

extension SchemaReader {
  mutating func report(_ code: DiagnosticCode, _ message: String, at span: TextSpan, help: String? = nil) {
    if diagnostics.count < Limits.diagnostics { diagnostics.append(Diagnostic(code, message, at: span, help: help)) }
  }

  /// Returns the members of a mapping by key, and reports unknown and missing keys. Reports a value that is not a
  /// mapping, and returns nil.
  mutating func map(
    _ value: PlacedValue, _ owner: String, keys: [String], required: [String]
  ) -> [String: PlacedValue.Member]? {
    guard case .map(let members) = value.content else {
      report(
        .wrongType, "\(owner) must be a mapping with keys, found \(value.found)", at: value.span,
        help: "its keys are \(keys.map { "'\($0)'" }.joined(separator: ", "))")
      return nil
    }
    var result: [String: PlacedValue.Member] = [:]
    for member in members {
      if keys.contains(member.key) {
        result[member.key] = member
      } else if let instead = Self.unserved[member.key] {
        report(.unknownKey, "'\(member.key)' does not belong in a schema", at: member.keySpan, help: instead)
      } else {
        let question = NearestName.question(member.key, among: keys).map { $0 + " " } ?? ""
        report(
          .unknownKey, "\(owner) has no key '\(member.key)'", at: member.keySpan,
          help: "\(question)it has \(keys.map { "'\($0)'" }.joined(separator: ", "))")
      }
    }
    for key in required where result[key] == nil {
      report(.missingKey, "\(owner) lacks the key '\(key)'", at: TextSpan(at: value.span.start))
    }
    return result
  }

  mutating func integer(_ value: PlacedValue, _ key: String, _ range: ClosedRange<Int>) -> Int? {
    guard case .scalar(.integer(let number)) = value.content, range.contains(number) else {
      report(
        .outOfRange,
        "'\(key)' must be a whole number from \(range.lowerBound) to \(range.upperBound), found \(value.found)",
        at: value.span)
      return nil
    }
    return number
  }

  mutating func boolean(_ value: PlacedValue, _ key: String) -> Bool? {
    guard case .scalar(.boolean(let flag)) = value.content else {
      report(.wrongType, "'\(key)' must be true or false, found \(value.found)", at: value.span)
      return nil
    }
    return flag
  }

  mutating func word<Word: RawRepresentable & CaseIterable>(
    _ value: PlacedValue, _ key: String, _ type: Word.Type, _ allowed: [Word] = Array(Word.allCases)
  ) -> Word? where Word.RawValue == String {
    let words = allowed.map(\.rawValue)
    if case .scalar(.string(let text)) = value.content {
      if words.contains(text), let word = Word(rawValue: text) { return word }
      let question = NearestName.question(text, among: words).map { $0 + " " } ?? ""
      report(
        .unknownValue, "'\(key)' is '\(text)'", at: value.span,
        help: "\(question)it is one of \(words.joined(separator: ", "))")
    } else {
      report(
        .unknownValue, "'\(key)' must be a word, found \(value.found)", at: value.span,
        help: "it is one of \(words.joined(separator: ", "))")
    }
    return nil
  }
}
