import FlowDiagnostics
import FlowModel
import SyncCore
import SyncRecords

/// Reads the key `decide`, which contains the rule that decides between whole states of a record.
extension SchemaReader {
  private static let order = ["causal", "window", "prefer", "smallest", "newest", "device"]
  private static let form =
    "it is a list in this order, of which window, prefer and smallest may be missing: [causal, { window: 5s }, { prefer: FIELD, order: […] }, { smallest: FIELD }, newest, device]"

  mutating func decide(_ value: PlacedValue, _ collection: RecordSchema.Collection) -> DecideRule {
    var rule = DecideRule()
    guard case .list(let elements) = value.content else {
      report(.wrongType, "'decide' must be a list, found \(value.found)", at: value.span, help: Self.form)
      return rule
    }
    var names: [String] = []
    for element in elements {
      switch element.content {
      case .scalar(.string(let word)) where ["causal", "newest", "device"].contains(word): names.append(word)
      case .map(let members):
        guard let name = members.first(where: { Self.order.contains($0.key) })?.key else { fallthrough }
        names.append(name)
        step(name, element, collection, &rule)
      default:
        report(.unknownValue, "a step of 'decide' is \(element.found)", at: element.span, help: Self.form)
        return rule
      }
    }
    let wanted = Self.order.filter { names.contains($0) || ["causal", "newest", "device"].contains($0) }
    if names != wanted {
      report(
        .unknownValue, "'decide' goes by \(names.joined(separator: ", "))", at: value.span, help: Self.form)
    }
    return rule
  }

  private mutating func step(
    _ name: String, _ element: PlacedValue, _ collection: RecordSchema.Collection, _ rule: inout DecideRule
  ) {
    switch name {
    case "window":
      guard let parts = map(element, "the step 'window'", keys: ["window"], required: []), let window = parts["window"],
        case .scalar(.string(let text)) = window.value.content, let time = try? DurationText.parse(text)
      else {
        report(.wrongType, "'window' is a length of time such as 5s", at: element.span)
        return
      }
      rule.window = time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000
    case "prefer":
      guard let parts = map(element, "the step 'prefer'", keys: ["prefer", "order"], required: ["prefer", "order"]),
        let field = parts["prefer"], let order = parts["order"],
        let found = self.field(field.value, "prefer", collection, [.string])
      else { return }
      rule.prefer = .init(field: found.name, order: values(order.value, "order", of: found))
    case "smallest":
      let keys = ["smallest", "at", "ages", "unless", "when"]
      guard let parts = map(element, "the step 'smallest'", keys: keys, required: ["smallest"]),
        let field = parts["smallest"],
        let found = self.field(field.value, "smallest", collection, [.integer, .duration])
      else { return }
      var smallest = DecideRule.Smallest(field: found.name)
      if let ages = parts["ages"] { smallest.ages = boolean(ages.value, "ages") ?? false }
      if let at = parts["at"] {
        if case .scalar(.string("common-instant")) = at.value.content {
          smallest.ages = true
        } else {
          report(.unknownValue, "'at' is \(at.value.found)", at: at.value.span, help: "it can be common-instant")
        }
      }
      if let unless = parts["unless"] {
        smallest.unless = self.field(unless.value, "unless", collection, [.boolean])?.name
      }
      smallest.when = parts["when"].flatMap { condition($0.value, collection) }
      rule.smallest = smallest
    default: break
    }
  }

  private mutating func condition(
    _ value: PlacedValue, _ collection: RecordSchema.Collection
  ) -> DecideRule.Preference? {
    guard case .map(let members) = value.content, members.count == 1, let member = members.first else {
      report(
        .wrongType, "'when' must be a mapping from a field to a list of values, found \(value.found)", at: value.span)
      return nil
    }
    let names = collection.fields.filter { $0.rule.merge == .whole && $0.rule.type == .string }.map(\.name)
    guard names.contains(member.key), let field = collection.field(member.key) else {
      let help = NearestName.question(member.key, among: names) ?? "there are \(names.joined(separator: ", "))"
      report(.unknownValue, "'when' names the field '\(member.key)'", at: member.keySpan, help: help)
      return nil
    }
    return .init(field: field.name, order: values(member.value, "when", of: field))
  }

  /// Returns the field named by a value. It must have one of these types and be decided as part of a state. Reports any
  /// other value.
  private mutating func field(
    _ value: PlacedValue, _ key: String, _ collection: RecordSchema.Collection, _ types: [FieldType]
  ) -> RecordSchema.Field? {
    let fields = collection.fields.filter { $0.rule.merge == .whole && types.contains($0.rule.type) }
    if case .scalar(.string(let name)) = value.content, let field = fields.first(where: { $0.name == name }) {
      return field
    }
    let text = if case .scalar(.string(let text)) = value.content { text } else { "" }
    let words = types.map(\.text).joined(separator: " or ")
    report(
      .unknownValue, "'\(key)' is \(value.found), which is not a field of type \(words) that is decided whole",
      at: value.span,
      help: NearestName.question(text, among: fields.map(\.name)))
    return nil
  }

  private mutating func values(_ value: PlacedValue, _ key: String, of field: RecordSchema.Field) -> [String] {
    guard case .list(let elements) = value.content, !elements.isEmpty else {
      report(.wrongType, "'\(key)' must be a list of strings, found \(value.found)", at: value.span)
      return []
    }
    return elements.compactMap { element in
      guard case .scalar(.string(let text)) = element.content, !text.isEmpty else {
        report(.wrongType, "each value of '\(key)' must be a string, found \(element.found)", at: element.span)
        return nil
      }
      if let choices = field.choices, !choices.contains(text) {
        report(
          .unknownValue, "'\(field.name)' is never '\(text)'", at: element.span,
          help: NearestName.question(text, among: choices) ?? "it is one of \(choices.joined(separator: ", "))")
      }
      return text
    }
  }
}
