import FlowModel

extension Shape {
  /// The JSON Schema of a value with this form.
  var schema: ValueObject {
    switch self {
    case .string: ["type": "string"]
    case .name: ["type": "string", "minLength": 1]
    case .workflowName:
      [
        "type": "string", "minLength": 1, "maxLength": .integer(Limits.workflowNameBytes),
        "pattern": "^(?![. ])[^/\\u0000-\\u001F\\u007F-\\u009F]*[^/ \\u0000-\\u001F\\u007F-\\u009F]$",
      ]
    case .folder: ["type": "string", "pattern": "^[^:]+$"]
    case .nameOf(let kind): ["type": "string", "pattern": .string(kind.pattern)]
    case .sourceFile: ["type": "string", "pattern": "^(?!/)(?!(.*/)?[.][.]/).*[.]swift$"]
    case .boolean: ["type": "boolean"]
    case .integer(let range):
      ["type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)]
    case .integerOr(let range, let word):
      Self.anyOf([Shape.integer(range).schema, ["type": "string", "enum": [.string(word)]]])
    case .number(let least): ["type": "number", "minimum": Self.number(least)]
    case .duration: Self.reference("duration")
    case .durationAboveZero:
      ["allOf": [.object(Self.reference("duration")), ["not": ["type": "string", "pattern": "^[0dhms.]+$"]]]]
    case .durationOrExpression: Self.anyOf([Self.reference("duration"), Self.textWithExpression])
    case .estimate: ["type": "string", "pattern": .string(Self.estimatePattern)]
    case .size(let range):
      ["type": "string", "pattern": .string("^0*[1-9][0-9]*([\(range.upperBound < 1 << 30 ? "KM" : "KMG")]iB)$")]
    case .memory: Self.anyOf([["type": "string", "pattern": "^0*[1-9][0-9]*([KMGT]iB)$"], Self.textWithExpression])
    case .count(let range): Self.anyOf([Shape.integer(range).schema, Self.textWithExpression])
    case .retryReason:
      Self.anyOf([
        Shape.integer(RetryReasons.Reason.statuses).schema,
        ["type": "string", "pattern": "^([1-9][0-9]{0,2}([.][.][1-9][0-9]{0,2})?|[A-Za-z_][A-Za-z0-9._-]*)$"],
      ])
    case .stepNames: Self.oneOrMany(["type": "string", "pattern": .string(NameKind.step.pattern)])
    case .eventNames: Self.oneOrMany(["type": "string"])
    case .fileNames: Self.oneOrMany(["type": "string", "minLength": 1])
    case .fileRule:
      Self.anyOf([["type": "string", "minLength": 1], WorkflowSchema.map(of: FileKey.self)])
    case .environmentFiles:
      Self.oneOrMany(Self.anyOf([["type": "string", "minLength": 1], Self.map(EnvironmentFileKey.self)]))
    case .eventName: ["type": "string", "minLength": 1]
    case .expression: ["type": ["string", "boolean", "number"], "minLength": 1]
    case .booleanOrExpression, .deferral: Self.anyOf([["type": "boolean"], Self.bareExpression])
    case .word(let words): ["type": "string", "enum": .array(words.map(Value.string))]
    case .queueName:
      Self.anyOf([
        ["type": "string", "enum": .array(Queue.builtIn.map(Value.string))],
        ["type": "string", "pattern": .string(NameKind.queue.pattern)],
      ])
    case .executorAddress:
      Self.anyOf([
        ["type": "string", "pattern": .string(ExecutorAddress.pattern)], Self.nonempty(Self.map(ExecutorKey.self)),
      ])
    case .actionName: ["type": "string"]
    case .command:
      Self.anyOf([
        ["type": "string", "minLength": 1],
        ["type": "array", "minItems": 1, "items": ["type": "string"]],
      ])
    case .map(let keys): Self.map(keys)
    case .durationOr(let keys, let allowsExpression):
      Self.anyOf(
        allowsExpression
          ? [Self.reference("duration"), Self.textWithExpression, Self.mapOfDurationsOrExpressions(keys)]
          : [Self.reference("duration"), Self.map(keys)])
    case .named(let kind, let shape): Self.named(kind, shape)
    case .events: Self.eventDeclarations
    case .foreach: Self.anyOf([["type": "array"], Self.oneExpression, Self.foreachMap])
    case .values: ["type": ["object", "null"]]
    case .environment:
      [
        "type": "object", "propertyNames": ["pattern": "^[^=]+$"],
        "additionalProperties": ["type": ["string", "number", "boolean"]],
      ]
    case .any: [:]
    case .list(let element, let isNonempty):
      ["type": "array", "items": .object(element.schema), "minItems": isNonempty ? 1 : 0]
    }
  }

  private static let estimatePattern = "^(\(SchemaPattern.duration))([.][.](\(SchemaPattern.duration)))?$"

  private static let textWithExpression: ValueObject = [
    "type": "string", "pattern": .string(SchemaPattern.expression),
  ]

  /// The schema of a string that consists of a single expression.
  private static let oneExpression: ValueObject = [
    "type": "string", "pattern": "^[$][{][{]((?![}][}])[^']|'[^']*')*[}][}]$",
  ]

  private static let bareExpression: ValueObject = [
    "type": "string", "minLength": 1, "not": ["pattern": .string(SchemaPattern.booleanWord)],
  ]

  private static let eventDeclarations = anyOf([
    [
      "type": "array", "uniqueItems": true,
      "items": ["type": "string", "pattern": .string(NameKind.event.pattern)],
    ],
    [
      "type": "object", "propertyNames": ["pattern": .string(NameKind.event.pattern)],
      "additionalProperties": .object(anyOf([["type": ["string", "null"]], map(EventKey.self)])),
    ],
  ])

  private static var foreachMap: ValueObject {
    var map = WorkflowSchema.map(of: ForeachKey.self)
    map["anyOf"] = .array(
      [ForeachKey.items, .axes, .files, .event].map { ["required": .array([.string($0.rawValue)])] })
    return map
  }

  private static func reference(_ name: String) -> ValueObject { ["$ref": .string("#/definitions/\(name)")] }

  private static func anyOf(_ schemas: [ValueObject]) -> ValueObject { ["anyOf": .array(schemas.map(Value.object))] }

  private static func oneOrMany(_ schema: ValueObject) -> ValueObject {
    anyOf([schema, ["type": "array", "items": .object(schema)]])
  }

  private static func number(_ value: Double) -> Value { Int(exactly: value).map(Value.integer) ?? .number(value) }

  /// Returns the schema of a mapping. For a mapping that is recursive or occurs often, this is a reference.
  private static func map(_ keys: any FormatKey.Type) -> ValueObject {
    if keys == StepKey.self { return reference("step") }
    if keys == FieldKey.self { return reference("field") }
    if keys == EventValueKey.self { return WorkflowSchema.field(EventValueKey.self) }
    if keys == DeadlineKey.self { return reference("deadline") }
    if keys == RetryKey.self { return reference("retry") }
    var map = WorkflowSchema.map(of: keys)
    if keys == ResourcesKey.self || keys == SlurmKey.self { map["minProperties"] = 1 }
    return map
  }

  private static func nonempty(_ map: ValueObject) -> ValueObject {
    var map = map
    map["minProperties"] = 1
    return map
  }

  private static func mapOfDurationsOrExpressions(_ keys: any FormatKey.Type) -> ValueObject {
    var properties = ValueObject()
    for (name, summary) in keys.summaries {
      var schema = Shape.durationOrExpression.schema
      schema["description"] = .string(summary)
      properties[name] = .object(schema)
    }
    return ["type": "object", "additionalProperties": false, "properties": .object(properties)]
  }

  private static func named(_ kind: NameKind, _ shape: Shape) -> ValueObject {
    var names: ValueObject = ["pattern": .string(kind.pattern)]
    if kind == .step || kind == .queue { names["maxLength"] = .integer(Limits.stepIDCharacters) }
    var schema: ValueObject = [
      "type": "object", "propertyNames": .object(names), "additionalProperties": .object(shape.schema),
    ]
    if kind == .action { schema["minProperties"] = 1 }
    if kind == .step {
      schema["minProperties"] = 1
      schema["maxProperties"] = .integer(Limits.steps)
    }
    return schema
  }
}

extension FormatKey {
  /// The names and descriptions of the keys.
  fileprivate static var summaries: [(name: String, summary: String)] { allCases.map { ($0.rawValue, $0.summary) } }
}
