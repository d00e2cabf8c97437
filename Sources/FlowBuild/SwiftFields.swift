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
    /// All of them, each a list with nil for an item that failed: a step that runs for several items.
    case items
  }

  let properties: [Property]
  /// The types that the properties need, as text of Swift.
  let types: [String]
  /// `public ` in a library, or nothing.
  let access: String

  init(_ fields: [FieldDeclaration], _ optionality: Optionality, access: String) {
    var types: [String] = []
    let names = fields.map(\.name)
    properties = zip(fields, zip(SwiftNames.members(names, besides: ["values"]), SwiftNames.typePrefixes(names))).map {
      field, names in
      let (name, typeName) = names
      var type = Self.type(field.type, name: typeName, access, &types)
      if optionality == .items { type = "[\(type)?]" }
      let isOptional =
        switch optionality {
        case .given: !field.isRequired
        case .received: !field.isRequired && field.defaultValue == nil
        case .all, .items: true
        }
      return Property(field: field, name: name, type: isOptional ? type + "?" : type, isOptional: isOptional)
    }
    self.types = types
    self.access = access
  }

  private static func type(_ type: ValueType, name: String, _ access: String, _ types: inout [String]) -> String {
    switch type {
    case .string, .path: return "String"
    case .boolean: return "Bool"
    case .integer: return "Int"
    case .number: return "Double"
    case .duration: return "Swift.Duration"
    case .any: return "FlowKit.Value"
    case .array(let element): return "[\(Self.type(element, name: name, access, &types))]"
    case .object(nil): return "ValueObject"
    case .object(let fields?):
      types.append(object("\(name)Value", fields, access))
      return "\(name)Value"
    case .enumeration(let values, let base):
      let words = values.compactMap(\.stringValue)
      guard words.count == values.count, Set(words).count == words.count else {
        return Self.type(base, name: name, access, &types)
      }
      types.append(enumeration("\(name)Option", words, access))
      return "\(name)Option"
    }
  }

  private static func enumeration(_ name: String, _ words: [String], _ access: String) -> String {
    let members = SwiftNames.members(words, besides: SwiftNames.enumerationMembers)
    let cases = zip(words, members).map { "  case \($1) = \(SwiftText.literal($0))" }
    return "\(access)enum \(name): String, FieldWord {\n\(cases.joined(separator: "\n"))\n}\n"
  }

  private static func object(_ name: String, _ declared: [FieldDeclaration], _ access: String) -> String {
    let fields = SwiftFields(declared, .received, access: access)
    let placeholders = fields.properties.map { "\($0.name): .placeholder" }.joined(separator: ", ")
    return """
      \(access)struct \(name): FieldObject {
      \(SwiftText.indented(fields.declarations + fields.initializer + fields.reading + fields.writing, by: "  "))
        \(access)static var placeholder: \(name) { \(name)(\(placeholders)) }
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
      text += SwiftText.comment(summary, indent: "") + "\(access)var \(property.name): \(property.type)\n"
    }
    return text
  }

  /// `init(a: A, b: B? = nil)`.
  var initializer: String {
    let parameters = properties.map { "\($0.name): \($0.type)\($0.isOptional ? " = nil" : "")" }
    var text = "\(access)init(\(parameters.joined(separator: ", "))) {\n"
    for property in properties { text += "  self.\(property.name) = \(property.name)\n" }
    return text + "}\n"
  }

  /// `init(values:)`, which throws where a value does not fit.
  var reading: String {
    var text = "\(access)init(values: ValueObject) throws {\n"
    for property in properties {
      text += "  \(property.name) = try values.field(\(SwiftText.literal(property.field.name)))\n"
    }
    return text + "}\n"
  }

  /// `init(values:)`, with nil where a value does not fit.
  func lenientReading(ofItems: Bool) -> String {
    var text = "\(access)init(values: ValueObject) {\n"
    for property in properties {
      let name = SwiftText.literal(property.field.name)
      text += "  \(property.name) = \(ofItems ? "values.items(\(name))" : "try? values.field(\(name))")\n"
    }
    return text + "}\n"
  }

  /// `values`.
  var writing: String {
    var text = "\(access)var values: ValueObject {\n  \(properties.isEmpty ? "let" : "var") values = ValueObject()\n"
    for property in properties {
      text += "  values.add(\(SwiftText.literal(property.field.name)), \(property.name))\n"
    }
    return text + "  return values\n}\n"
  }
}
