import FlowModel

extension Shape {
  /// Returns the snippet to insert after the colon of a key. Before a value, it is a space. Before a mapping, it is a
  /// line break or, if the key is inside braces, a pair of braces.
  func opening(_ location: EditingLocation) -> String {
    switch self {
    case .map, .named, .values, .environment:
      location.isFlow ? " { $0 }" : "\n\(String(repeating: " ", count: location.indentation + 2))$0"
    default: " $0"
    }
  }
}

extension ValueType {
  /// Returns a snippet for a value: a choice, brackets, or a placeholder that contains the default value.
  func snippet(_ field: FieldDeclaration) -> String {
    switch self {
    case .boolean: "${1|true,false|}"
    case .enumeration(let values, _):
      "${1|" + values.map { $0.yamlText.escapedInChoice }.joined(separator: ",") + "|}"
    case .array: "[$1]"
    case .object: "{ $1 }"
    case .duration: field.defaultValue.map { "${1:\($0.yamlText.escapedInSnippet)}" } ?? "${1:1s}"
    case .string, .path, .integer, .number, .any:
      field.defaultValue.map { "${1:\($0.yamlText.escapedInSnippet)}" } ?? "$1"
    }
  }

  /// A sample value for a generated file.
  var stand: String {
    switch self {
    case .string, .path, .any: "\"\""
    case .boolean: "false"
    case .integer, .number: "0"
    case .duration: "1s"
    case .array: "[]"
    case .object: "{}"
    case .enumeration(let values, _): values.first?.yamlText ?? "\"\""
    }
  }

  /// The type in words, such as `array of string` or `one of "a", "b"`.
  var words: String {
    switch self {
    case .array(let element): "array of \(element.words)"
    case .object(let properties?): "object with \(properties.map(\.name).joined(separator: ", "))"
    case .enumeration(let values, _): "one of \(values.map(\.shortText).joined(separator: ", "))"
    default: name
    }
  }
}

extension FieldDeclaration {
  /// The type in words, with `, required` if the field is required.
  var shortDescription: String { type.words + (isRequired ? ", required" : "") }

  /// The documentation of the field in Markdown.
  var page: String {
    var text = "**\(name)**: \(type.words)\(isRequired ? ", required" : "")"
    if !summary.isEmpty { text += "\n\n\(summary)" }
    if let defaultValue, !defaultValue.isNull { text += "\n\nDefault: `\(defaultValue.yamlText)`" }
    return text
  }
}

extension ActionDeclaration {
  /// The documentation of the action in Markdown.
  package var page: String {
    var text = "**\(name)**\(isService ? " (a service)" : "")\n\n\(summary)\n"
    func section(_ title: String, _ rows: [String]) {
      if !rows.isEmpty { text += "\n**\(title)**\n\n" + rows.map { "- \($0)\n" }.joined() }
    }
    section("Inputs", inputs.map { Self.row($0, isInput: true) })
    section("Outputs", outputs.map { Self.row($0, isInput: false) })
    if let outputFieldsFromInput { text += "\nWhat a step declares under `\(outputFieldsFromInput)` is an output.\n" }
    if let outputsFromInput { text += "\nEvery key of `\(outputsFromInput)` is an output.\n" }
    section("Events", events.map { "`\($0)`" })
    if let eventFromInput { text += "\nPosts the event that `\(eventFromInput)` names.\n" }
    section("Requires", requires.map { "`\($0.name)`" })
    section("Provides", provides.map { "`\($0.name)`" })
    section("Errors", errors.map { "`\($0.code)`: \($0.summary)" })
    if !example.isEmpty { text += "\n```yaml\n\(example)\n```\n" }
    if let origin { text += "\nFrom \(origin)\n" }
    return text
  }

  private static func row(_ field: FieldDeclaration, isInput: Bool) -> String {
    var text = "`\(field.name)`: \(field.type.words)"
    if isInput {
      if let value = field.defaultValue, !value.isNull {
        text += ", default `\(value.yamlText)`"
      } else {
        text += field.isRequired ? ", required" : ", optional"
      }
    }
    return text + (field.summary.isEmpty ? "" : " — \(field.summary)")
  }
}

extension Value {
  /// The value as YAML on a single line.
  var yamlText: String {
    switch self {
    case .string(let text):
      var plain = text
      let isPlain = plain.withUTF8 { bytes in
        !bytes.isEmpty && bytes.allSatisfy { $0.isNamePart }
          && CoreSchema.value(of: bytes).stringValue != nil && bytes[0] != UInt8(ascii: "-")
      }
      return isPlain ? text : JSONText.write(self)
    default: return JSONText.write(self)
    }
  }
}

extension String {
  /// The text with `$`, `}` and `\` escaped for a snippet.
  var escapedInSnippet: String { escaped("\\$}") }

  /// The text with special characters escaped for a choice in a snippet.
  fileprivate var escapedInChoice: String { escaped("\\$},|") }

  private func escaped(_ letters: String) -> String {
    reduce(into: "") { result, letter in
      if letters.contains(letter) { result.append("\\") }
      result.append(letter)
    }
  }
}
