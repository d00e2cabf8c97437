/// The reason why a value does not match a type.
package struct TypeMismatch: Error, Sendable, Hashable {
  /// The path to the part that does not match, such as `[3].pattern`. Empty if the value itself does not match.
  package var path: String
  /// A description of what was expected, such as `an integer` or `one of "push", "present"`.
  package var expected: String
  /// A description of what was found, such as `the string "12"`, `null` or `the unknown key 'color'`.
  package var found: String
  /// A suggestion, such as the most similar word or the missing unit, or nil if there is none.
  package var help: String?

  /// The required key that is missing at `path`, or nil if the value has a different problem.
  package var missingKey: String?

  package init(path: String, expected: String, found: String, help: String? = nil, missingKey: String? = nil) {
    self.path = path
    self.expected = expected
    self.found = found
    self.help = help
    self.missingKey = missingKey
  }

  /// True if the mismatch is in the member `name` of the value, at any depth.
  package func isIn(member name: String) -> Bool {
    if path.isEmpty { return missingKey == name }
    return path == name || path.hasPrefix("\(name).") || path.hasPrefix("\(name)[")
  }

  /// A sentence such as `expected an integer, found the string "12"`, preceded by the path if there is one.
  package var description: String {
    (path.isEmpty ? "" : "'\(path)': ") + "expected \(expected), found \(found)"
  }
}

extension FieldDeclaration {
  /// The suggestion for a step that sets the field to null although the field refuses it.
  package var nullHelp: String { "to use no '\(name)', leave the key out" }
}

extension ValueType {
  /// Returns the first mismatch in `value`, or nil if the value matches the type.
  ///
  /// An integer also matches the type `number`, and a number without a fraction matches `integer`, because expressions
  /// do not distinguish them.
  package func mismatch(of value: Value, at path: String = "") -> TypeMismatch? {
    switch self {
    case .any:
      return nil
    case .string:
      if case .string = value { return nil }
    case .path:
      if case .string(let text) = value {
        // The system would end the path at the NUL and use another file.
        guard text.utf8.contains(0) else { return nil }
        return TypeMismatch(path: path, expected: "a path without NUL characters", found: value.shortText)
      }
    case .boolean:
      if case .boolean = value { return nil }
    case .integer:
      if value.integerValue != nil { return nil }
    case .number:
      if value.numberValue != nil { return nil }
    case .duration:
      if case .string(let text) = value {
        do throws(DurationText.DurationProblem) {
          _ = try DurationText.parse(text)
          return nil
        } catch {
          return TypeMismatch(path: path, expected: expectation, found: value.shortText, help: error.help)
        }
      }
      if let number = value.numberValue {
        return TypeMismatch(
          path: path, expected: expectation, found: value.shortText,
          help: DurationText.DurationProblem.missingUnit("\(Value.number(number).shortText)").help)
      }
    case .array(let element):
      if case .array(let values) = value {
        for (index, item) in values.enumerated() {
          if let problem = element.mismatch(of: item, at: "\(path)[\(index)]") { return problem }
        }
        return nil
      }
    case .object(let properties):
      if case .object(let members) = value {
        return properties.flatMap { Self.mismatch(of: members, properties: $0, at: path) }
      }
    case .enumeration(let allowed, _):
      if allowed.contains(value) { return nil }
    }
    return TypeMismatch(path: path, expected: expectation, found: value.shortText)
  }

  private static func mismatch(
    of members: ValueObject, properties: [FieldDeclaration], at path: String
  ) -> TypeMismatch? {
    let prefix = path.isEmpty ? "" : "\(path)."
    for property in properties {
      guard let value = members[property.name] else {
        guard property.isRequired else { continue }
        return TypeMismatch(
          path: path, expected: "the key '\(property.name)' (\(property.type.expectation))", found: "no such key",
          missingKey: property.name)
      }
      if value.isNull && !property.isRequired { continue }
      if let problem = property.type.mismatch(of: value, at: prefix + property.name) { return problem }
    }
    for member in members where !properties.contains(where: { $0.name == member.key }) {
      return TypeMismatch(
        path: prefix + member.key,
        expected: "one of the keys \(properties.map { "'\($0.name)'" }.joined(separator: ", "))",
        found: "the unknown key '\(member.key)'")
    }
    return nil
  }

  /// A description of the type, such as `an integer` or `a duration such as 250ms`.
  package var expectation: String {
    switch self {
    case .string: "a string"
    case .boolean: "true or false"
    case .integer: "an integer"
    case .number: "a number"
    case .duration: "a duration such as 250ms or 1m30s"
    case .path: "a path"
    case .array(let element): "a list of \(element.name == "any" ? "values" : "\(element.name)s")"
    case .object: "an object"
    case .any: "a value"
    case .enumeration(let allowed, _): "one of \(allowed.map(\.shortText).joined(separator: ", "))"
    }
  }
}

extension Value {
  /// The value as it appears in messages. Strings are quoted; long strings and collections are shortened.
  package var shortText: String {
    switch self {
    case .null: "null"
    case .boolean(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .number(let value): Int(exactly: value).map(String.init) ?? "\(value)"
    case .string(let text): text.count > 60 ? "\"\(text.prefix(57))...\"" : "\"\(text)\""
    case .array(let values): values.isEmpty ? "an empty list" : "a list of \(values.count)"
    case .object(let members): members.isEmpty ? "an empty object" : "an object with '\(members.members[0].key)'"
    }
  }
}
