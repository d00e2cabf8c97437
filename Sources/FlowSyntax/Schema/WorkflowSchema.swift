import FlowModel

/// The JSON Schema (draft 07) of workflows, for editors. It contains all keys, the form of durations, the names of
/// actions and the inputs of each action.
///
/// It is created from the parser's tables of keys and the declarations of the actions. It accepts the same files as the
/// loader, except for rules that a schema cannot express, such as those about unknown names, cycles and expressions.
package struct WorkflowSchema: Sendable {
  private let declarations: [ActionDeclaration]

  /// Creates a schema for workflows that use the actions in `catalog`.
  package init(catalog: any ActionCatalog) { declarations = catalog.declarations }

  /// Returns the schema as a JSON value.
  package func json() -> Value {
    var schema = Self.map(of: WorkflowKey.self)
    schema.insertFirst([
      "$schema": "http://json-schema.org/draft-07/schema#",
      "title": "A workflow of flowrun",
    ])
    schema["definitions"] = [
      "duration": Self.duration,
      "step": .object(step()),
      "field": .object(Self.field(FieldKey.self)),
      "deadline": .object(Self.map(of: DeadlineKey.self)),
      "retry": .object(Self.map(of: RetryKey.self)),
    ]
    return .object(schema)
  }

  /// The schema as indented JSON that ends with a line break.
  package func text() -> String { JSONText.write(json(), layout: .indented) + "\n" }

  // MARK: Mappings of the format

  /// Returns the schema of a mapping that can have the keys of a table.
  static func map<Key: FormatKey>(of type: Key.Type) -> ValueObject {
    var properties = ValueObject()
    for key in Key.allCases {
      var schema = key.shape.schema
      schema["description"] = .string(key.summary)
      if let text = key.defaultText {
        schema["default"] = ["true": true, "false": false, "1": 1][text] ?? .string(text)
      }
      properties[key.rawValue] = .object(schema)
    }
    var schema: ValueObject = ["type": "object", "additionalProperties": false, "properties": .object(properties)]
    if let prefix = Key.ignoredPrefix { schema["patternProperties"] = .object(["^\(prefix)": [:]]) }
    let required = Key.allCases.filter(\.isRequired).map { Value.string($0.rawValue) }
    if !required.isEmpty { schema["required"] = .array(required) }
    return schema
  }

  private static let duration: Value = ["type": "string", "pattern": .string("^(\(SchemaPattern.duration))$")]

  /// The definitions that the schemas of fields refer to.
  static var fieldDefinitions: Value { ["duration": duration, "field": .object(field(FieldKey.self))] }

  /// Returns the schema of a field's declaration. Some keys are allowed only with one type.
  static func field(_ keys: (some FormatKey).Type) -> ValueObject {
    var schema = map(of: keys)
    schema["dependencies"] = [
      "base": ["properties": ["type": ["const": "path"]]],
      "items": ["properties": ["type": ["const": "array"]]],
      "properties": ["properties": ["type": ["const": "object"]]],
    ]
    return schema
  }

  /// Returns the schema of a step. Under `with`, it has the inputs of each action.
  private func step() -> ValueObject {
    var schema = Self.map(of: StepKey.self)
    if case .object(var properties)? = schema["properties"], case .object(var uses)? = properties["uses"] {
      uses["anyOf"] = [
        [
          "enum": .array(declarations.map { .string($0.name) }),
          "markdownEnumDescriptions": .array(declarations.map { .string($0.summary) }),
        ],
        // Matches the path of a workflow file.
        ["pattern": "^[.]{0,2}/|[.]ya?ml$"],
      ]
      properties["uses"] = .object(uses)
      schema["properties"] = .object(properties)
    }
    schema["anyOf"] = [["required": ["uses"]], ["required": ["run"]]]
    schema["dependencies"] = ["run": ["not": ["required": ["uses"]]], "shell": ["required": ["run"]]]
    var uses: [Value] = declarations.map { declaration in
      [
        "if": ["properties": ["uses": ["const": .string(declaration.name)]], "required": ["uses"]],
        "then": .object(Self.use(of: declaration)),
      ]
    }
    if var command = declarations.first(where: { $0.name == CommandKeys.action }) {
      command.inputs.removeAll { $0.name == CommandKeys.commandInput }
      uses.append(["if": ["required": ["run"]], "then": .object(Self.use(of: command))])
      // Only these actions can have `outputs`. All others declare their outputs themselves.
      let commands = declarations.filter { $0.outputFieldsFromInput != nil }.map { Value.string($0.name) }
      uses.append([
        "if": ["required": ["outputs"]],
        "then": ["anyOf": [["required": ["run"]], ["properties": ["uses": ["enum": .array(commands)]]]]],
      ])
    }
    schema["allOf"] = .array(uses)
    return schema
  }

  private static func use(of declaration: ActionDeclaration) -> ValueObject {
    var properties = ValueObject()
    for field in declaration.inputs {
      let isLiteral = [declaration.eventFromInput, declaration.calls?.event, declaration.calls?.action]
        .contains(field.name)
      properties[field.name] = .object(field.inputSchema(isLiteral: isLiteral))
    }
    let required = declaration.inputs.filter(\.isRequired).map { Value.string($0.name) }
    var with: ValueObject = ["additionalProperties": false, "properties": .object(properties)]
    if !required.isEmpty {
      with["type"] = "object"
      with["required"] = .array(required)
    }
    var schema: ValueObject = ["properties": ["with": .object(with)]]
    if !required.isEmpty { schema["required"] = ["with"] }
    return schema
  }
}

/// The regular expressions that the schema uses. Their syntax is supported by all editors.
enum SchemaPattern {
  /// Matches the durations that ``DurationText`` parses, and also those that exceed its maximum. Units must be ordered
  /// from large to small, and only the last number may have a fraction.
  static let duration =
    "(?=.)([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+([.][0-9]+)?ms)?|([0-9]+d)?([0-9]+h)?([0-9]+m)?[0-9]+[.][0-9]+s|"
    + "([0-9]+d)?([0-9]+h)?[0-9]+[.][0-9]+m|([0-9]+d)?[0-9]+[.][0-9]+h|[0-9]+[.][0-9]+d"
  /// Matches the beginning of an expression anywhere in a string.
  static let expression = "[$][{][{]"
  /// Matches the words that YAML 1.1 reads as Booleans. Here they are strings, but a value that looks like a Boolean is
  /// not an expression.
  static let booleanWord =
    "^([yY]([eE][sS])?|[nN][oO]?|[oO]([nN]|[fF][fF])|[tT][rR][uU][eE]|[fF][aA][lL][sS][eE])$"
}

extension ValueObject {
  fileprivate mutating func insertFirst(_ first: ValueObject) {
    self = ValueObject((first.members + members).map { ($0.key, $0.value) })
  }
}
