import FlowModel

/// Generates the properties of a Swift struct from declared fields.
struct SwiftFields {
  /// The property that stands for a field.
  struct Property {
    let field: FieldDeclaration
    /// The Swift name of the property.
    let name: String
    /// The Swift type of the property. It is optional if the field may be missing.
    let type: String
    let isOptional: Bool
  }

  /// The rule that decides which properties are optional.
  enum Optionality {
    /// Fields that are not required are optional, because the workflow adds their defaults.
    case given
    /// Only fields that are not required and have no default are optional, because defaults have been added.
    case received
    /// All fields are optional, because a step may have failed or not have run.
    case all
    /// All fields are optional arrays, for a step with items. Nil stands for an item that failed or did not run.
    case items
  }

  let properties: [Property]
  /// The code of the types that the properties need.
  let types: [String]
  /// The access modifier `public ` in a library, or an empty string.
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

  /// The code of the nested types and the properties.
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

  /// The code of an initializer with a parameter for each property, `init(a: A, b: B? = nil)`.
  var initializer: String {
    let parameters = properties.map { "\($0.name): \($0.type)\($0.isOptional ? " = nil" : "")" }
    var text = "\(access)init(\(parameters.joined(separator: ", "))) {\n"
    for property in properties { text += "  self.\(property.name) = \(property.name)\n" }
    return text + "}\n"
  }

  /// The code of `init(values:)`, which throws an error if a value has the wrong type.
  var reading: String {
    var text = "\(access)init(values: ValueObject) throws {\n"
    for property in properties {
      text += "  \(property.name) = try values.field(\(SwiftText.literal(property.field.name)))\n"
    }
    return text + "}\n"
  }

  /// Returns the code of `init(values:)`. Values that have the wrong type become nil.
  func lenientReading(ofItems: Bool) -> String {
    var text = "\(access)init(values: ValueObject) {\n"
    for property in properties {
      let name = SwiftText.literal(property.field.name)
      text += "  \(property.name) = \(ofItems ? "values.items(\(name))" : "try? values.field(\(name))")\n"
    }
    return text + "}\n"
  }

  /// The code of the property `values`, which returns the fields as an object.
  var writing: String {
    var text = "\(access)var values: ValueObject {\n  \(properties.isEmpty ? "let" : "var") values = ValueObject()\n"
    for property in properties {
      text += "  values.add(\(SwiftText.literal(property.field.name)), \(property.name))\n"
    }
    return text + "  return values\n}\n"
  }
}
