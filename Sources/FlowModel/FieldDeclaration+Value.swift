// Converts declarations of fields to values and back, so that actions can receive them as inputs.

extension FieldDeclaration {
  /// The declaration as an object, such as `{"type": "integer", "required": false}`.
  package var declaration: ValueObject {
    var members = type.declaration
    if let defaultValue { members["default"] = defaultValue }
    if isRequired != (defaultValue == nil) { members["required"] = .boolean(isRequired) }
    if isSecret { members["secret"] = true }
    if !summary.isEmpty { members["description"] = .string(summary) }
    return members
  }

  /// Creates a field from its declaration. Throws the first problem in the declaration with the path to it.
  package init(_ name: String, declaration: Value) throws(TypeMismatch) {
    if let mismatch = Self.form.mismatch(of: declaration) { throw mismatch }
    let members = declaration.objectValue ?? [:]
    var items = ValueType.any
    if let value = members["items"] {
      items = try TypeMismatch.inside("items") { () throws(TypeMismatch) in
        try FieldDeclaration("items", declaration: value).type
      }
    }
    var properties: [FieldDeclaration]?
    if let declared = members["properties"]?.objectValue {
      properties = []
      for (key, value) in declared {
        let property = try TypeMismatch.inside("properties.\(key)") { () throws(TypeMismatch) in
          try FieldDeclaration(key, declaration: value)
        }
        properties?.append(property)
      }
    }
    let base = members["base"]?.stringValue.flatMap(ValueType.PathBase.init(rawValue:)) ?? .file
    let typeName = members["type"]?.stringValue ?? ""
    guard var type = ValueType(named: typeName, base: base, items: items, properties: properties) else {
      throw TypeMismatch(path: "type", expected: "the name of a type", found: "'\(typeName)'")
    }
    if let values = members["enum"]?.arrayValue {
      for (index, value) in values.enumerated() {
        if let mismatch = type.mismatch(of: value, at: "enum[\(index)]") { throw mismatch }
      }
      type = .enumeration(values, of: type)
    }
    let defaultValue = members["default"]
    if let mismatch = defaultValue.flatMap({ type.mismatch(of: $0, at: "default") }) { throw mismatch }
    self.init(
      name, type, isRequired: members["required"]?.booleanValue, default: defaultValue,
      summary: members["description"]?.stringValue ?? "")
    isSecret = members["secret"]?.booleanValue ?? false
  }

  /// The type that a declaration must match.
  private static let form = ValueType.object(properties: [
    FieldDeclaration("type", .enumeration(ValueType.names.map { .string($0) }, of: .string)),
    FieldDeclaration("required", .boolean, isRequired: false),
    FieldDeclaration("default", .any, isRequired: false),
    FieldDeclaration("enum", .array(of: .any), isRequired: false),
    FieldDeclaration("items", .object(properties: nil), isRequired: false),
    FieldDeclaration("properties", .object(properties: nil), isRequired: false),
    FieldDeclaration(
      "base", .enumeration(ValueType.PathBase.allCases.map { .string($0.rawValue) }, of: .string), isRequired: false),
    FieldDeclaration("secret", .boolean, isRequired: false),
    FieldDeclaration("description", .string, isRequired: false),
  ])
}

extension ValueType {
  /// Creates the type with this name, or returns nil if the name is unknown. `base`, `items` and `properties` are used
  /// for paths, arrays and objects.
  package init?(
    named name: String, base: PathBase = .file, items: ValueType = .any, properties: [FieldDeclaration]? = nil
  ) {
    switch name {
    case "string": self = .string
    case "boolean": self = .boolean
    case "integer": self = .integer
    case "number": self = .number
    case "duration": self = .duration
    case "path": self = .path(base: base)
    case "array": self = .array(of: items)
    case "object": self = .object(properties: properties)
    case "any": self = .any
    default: return nil
    }
  }

  /// The members of a declaration that describe the type.
  fileprivate var declaration: ValueObject {
    var members: ValueObject = ["type": .string(name)]
    switch self {
    case .path(let base): members["base"] = .string(base.rawValue)
    case .array(let items): members["items"] = .object(items.declaration)
    case .object(let properties?):
      members["properties"] = .object(ValueObject(properties.map { ($0.name, .object($0.declaration)) }))
    case .enumeration(let values, let base):
      members = base.declaration
      members["enum"] = .array(values)
    default: break
    }
    return members
  }

  /// Returns the value that `text` represents in this type, for `-i name=text` and for named outputs of a command. If
  /// the type requires JSON and `text` is invalid, returns `text` as a string, which only `any` accepts.
  package func value(of text: String) -> Value {
    switch self {
    case .string, .duration, .path: .string(text)
    case .enumeration(_, let base): base.value(of: text)
    case .boolean, .integer, .number, .array, .object, .any: (try? JSONText.parse(text)) ?? .string(text)
    }
  }
}

extension TypeMismatch {
  /// Calls `body`. If it throws an error, `key` is added to the path in that error.
  fileprivate static func inside<Result>(
    _ key: String, _ body: () throws(TypeMismatch) -> Result
  ) throws(TypeMismatch) -> Result {
    do throws(TypeMismatch) {
      return try body()
    } catch {
      var mismatch = error
      mismatch.path = error.path.isEmpty ? key : "\(key).\(error.path)"
      throw mismatch
    }
  }
}
