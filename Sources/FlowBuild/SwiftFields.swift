import FlowModel

/// Declared fields as the properties of a struct in Swift.
struct SwiftFields {
  /// One field.
  struct Property {
    let field: FieldDeclaration
    /// The name of the property.
    let name: String
    /// The type, which is optional where the field may be missing.
    let type: String
    let isOptional: Bool
  }

  /// Which fields are optional.
  enum Optionality {
    /// Those that need not be given: who gives them leaves the default to the workflow.
    case given
    /// Those that have neither a value nor a default: who receives them sees defaults filled in.
    case received
    /// All of them: a step may have failed, or not have run.
    case all
  }

  let properties: [Property]
  /// The types that the properties need, as text of Swift.
  let types: [String]

  init(_ fields: [FieldDeclaration], _ optionality: Optionality) {
    var types: [String] = []
    properties = zip(fields, SwiftNames.members(fields.map(\.name))).map { field, name in
      let type = Self.type(field.type, name: SwiftNames.type(field.name), &types)
      let isOptional =
        switch optionality {
        case .given: !field.isRequired
        case .received: !field.isRequired && field.defaultValue == nil
        case .all: true
        }
      return Property(field: field, name: name, type: isOptional ? type + "?" : type, isOptional: isOptional)
    }
    self.types = types
  }

  private static func type(_ type: ValueType, name: String, _ types: inout [String]) -> String {
    switch type {
    case .string, .path: return "String"
    case .boolean: return "Bool"
    case .integer: return "Int"
    case .number: return "Double"
    case .duration: return "Duration"
    case .any: return "Value"
    case .array(let element): return "[\(Self.type(element, name: name, &types))]"
    case .object(nil): return "ValueObject"
    case .object(let fields?):
      types.append(object("\(name)Value", fields))
      return "\(name)Value"
    case .enumeration(let values, let base):
      let words = values.compactMap(\.stringValue)
      guard words.count == values.count, Set(words).count == words.count else {
        return Self.type(base, name: name, &types)
      }
      types.append(enumeration("\(name)Option", words))
      return "\(name)Option"
    }
  }

  private static func enumeration(_ name: String, _ words: [String]) -> String {
    let cases = zip(words, SwiftNames.members(words)).map { "  case \($1) = \(SwiftText.literal($0))" }
    return "enum \(name): String, FieldWord {\n\(cases.joined(separator: "\n"))\n}\n"
  }

  private static func object(_ name: String, _ declared: [FieldDeclaration]) -> String {
    let fields = SwiftFields(declared, .received)
    let placeholders = fields.properties.map { "\($0.name): .placeholder" }.joined(separator: ", ")
    return """
      struct \(name): FieldObject {
      \(SwiftText.indented(fields.declarations + fields.initializer + fields.reading + fields.writing, by: "  "))
        static var placeholder: \(name) { \(name)(\(placeholders)) }
      }

      """
  }

  /// The nested types and the properties.
  var declarations: String {
    var text = types.joined()
    for property in properties {
      var summary = property.field.summary
      if let value = property.field.defaultValue {
        summary += (summary.isEmpty ? "" : " ") + "Default: \(JSONText.write(value))"
      }
      text += SwiftText.comment(summary, indent: "") + "var \(property.name): \(property.type)\n"
    }
    return text
  }

  /// `init(a: A, b: B? = nil)`.
  var initializer: String {
    let parameters = properties.map { "\($0.name): \($0.type)\($0.isOptional ? " = nil" : "")" }
    var text = "init(\(parameters.joined(separator: ", "))) {\n"
    for property in properties { text += "  self.\(property.name) = \(property.name)\n" }
    return text + "}\n"
  }

  /// `init(values:)`, which throws where a value does not fit.
  var reading: String {
    var text = "init(values: ValueObject) throws {\n"
    for property in properties {
      text += "  \(property.name) = try values.field(\(SwiftText.literal(property.field.name)))\n"
    }
    return text + "}\n"
  }

  /// `init(values:)`, with nil where a value does not fit.
  var lenientReading: String {
    var text = "init(values: ValueObject) {\n"
    for property in properties {
      text += "  \(property.name) = try? values.field(\(SwiftText.literal(property.field.name)))\n"
    }
    return text + "}\n"
  }

  /// `values`.
  var writing: String {
    var text = "var values: ValueObject {\n  \(properties.isEmpty ? "let" : "var") values = ValueObject()\n"
    for property in properties {
      text += "  values.add(\(SwiftText.literal(property.field.name)), \(property.name))\n"
    }
    return text + "  return values\n}\n"
  }
}
