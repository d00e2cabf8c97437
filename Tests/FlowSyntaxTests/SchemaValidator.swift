import FlowModel

/// Validates values against the keywords of JSON Schema (draft 07) that the workflow schema uses. Any other restrictive
/// keyword is an error, so that no keyword is ignored.
struct SchemaValidator {
  let root: Value

  /// Returns the reason why `value` does not match the schema, or nil if it does.
  func problem(with value: Value) -> String? { problem(value, root, "") }

  private static let annotations: Set<String> = [
    "$schema", "title", "description", "default", "definitions", "markdownEnumDescriptions",
  ]

  private func problem(_ value: Value, _ schema: Value, _ path: String) -> String? {
    guard case .object(let keywords) = schema else {
      return schema == .boolean(false) ? "\(path): nothing may stand here" : nil
    }
    if case .string(let reference)? = keywords["$ref"] {
      let name = String(reference.dropFirst("#/definitions/".count))
      guard let definition = root.objectValue?["definitions"]?.objectValue?[name] else { return "no \(reference)" }
      return problem(value, definition, path)
    }
    for (keyword, argument) in keywords where !Self.annotations.contains(keyword) {
      if let problem = problem(value, keyword, argument, keywords, path) { return problem }
    }
    return nil
  }

  private func problem(
    _ value: Value, _ keyword: String, _ argument: Value, _ keywords: ValueObject, _ path: String
  ) -> String? {
    func fails(_ isFailing: Bool) -> String? { isFailing ? "\(path): \(keyword) \(argument.shortText)" : nil }
    switch keyword {
    case "type":
      let names = argument.arrayValue?.compactMap(\.stringValue) ?? [argument.stringValue ?? ""]
      return fails(!names.contains { Self.isType($0, value) })
    case "enum": return fails(argument.arrayValue?.contains(value) != true)
    case "const": return fails(argument != value)
    case "minimum": return value.numberValue.flatMap { fails($0 < argument.numberValue!) }
    case "maximum": return value.numberValue.flatMap { fails($0 > argument.numberValue!) }
    case "minLength": return value.stringValue.flatMap { fails($0.unicodeScalars.count < argument.integerValue!) }
    case "maxLength": return value.stringValue.flatMap { fails($0.unicodeScalars.count > argument.integerValue!) }
    case "pattern":
      guard let text = value.stringValue, let regex = try? Regex(argument.stringValue!) else {
        return value.stringValue.map { _ in "no regular expression: \(argument.shortText)" }
      }
      return fails(text.firstMatch(of: regex) == nil)
    case "minItems": return value.arrayValue.flatMap { fails($0.count < argument.integerValue!) }
    case "uniqueItems": return value.arrayValue.flatMap { fails(Set($0).count < $0.count) }
    case "minProperties": return value.objectValue.flatMap { fails($0.count < argument.integerValue!) }
    case "maxProperties": return value.objectValue.flatMap { fails($0.count > argument.integerValue!) }
    case "required":
      guard let members = value.objectValue else { return nil }
      return argument.arrayValue!.lazy.compactMap { key in fails(members[key.stringValue!] == nil) }.first
    case "items":
      return value.arrayValue?.enumerated().lazy.compactMap { problem($1, argument, "\(path)[\($0)]") }.first
    case "properties":
      guard let members = value.objectValue else { return nil }
      return argument.objectValue!.lazy.compactMap { member in
        members[member.key].flatMap { problem($0, member.value, "\(path).\(member.key)") }
      }.first
    case "additionalProperties":
      let known = keywords["properties"]?.objectValue
      let patterns = (keywords["patternProperties"]?.objectValue?.keys ?? []).compactMap { try? Regex($0) }
      return value.objectValue?.lazy
        .filter { member in known?[member.key] == nil && !patterns.contains { member.key.firstMatch(of: $0) != nil } }
        .compactMap { problem($0.value, argument, "\(path).\($0.key)") }.first
    // All values of this keyword in the schema accept everything, so there is nothing to check.
    case "patternProperties": return nil
    case "propertyNames":
      return value.objectValue?.lazy.compactMap { problem(.string($0.key), argument, "\(path).\($0.key)") }.first
    case "dependencies":
      guard let members = value.objectValue else { return nil }
      return argument.objectValue!.lazy.filter { members[$0.key] != nil }
        .compactMap { problem(value, $0.value, path) }.first
    case "anyOf":
      let problems = argument.arrayValue!.map { problem(value, $0, path) }
      return problems.contains(nil) ? nil : problems.compactMap(\.self).joined(separator: " | ")
    case "allOf": return argument.arrayValue!.lazy.compactMap { problem(value, $0, path) }.first
    case "not": return fails(problem(value, argument, path) == nil)
    case "if": return problem(value, argument, path) == nil ? problem(value, keywords["then"] ?? true, path) : nil
    case "then": return nil
    default: return "the validator does not know '\(keyword)'"
    }
  }

  private static func isType(_ name: String, _ value: Value) -> Bool {
    switch name {
    case "string": value.stringValue != nil
    case "boolean": value.booleanValue != nil
    case "integer": value.integerValue != nil
    case "number": value.numberValue != nil
    case "array": value.arrayValue != nil
    case "object": value.objectValue != nil
    case "null": value.isNull
    default: false
    }
  }
}
