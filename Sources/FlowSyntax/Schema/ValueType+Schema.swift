import FlowModel

extension FieldDeclaration {
  /// Returns the schema of the values that a step can have for this input: a value of its type, a string with `${{ }}`,
  /// or null if the input is optional.
  ///
  /// If `isLiteral` is true, expressions are not allowed.
  func inputSchema(isLiteral: Bool) -> ValueObject {
    var alternatives = type.alternatives(allowingExpressions: !isLiteral)
    if !isRequired { alternatives.append(["type": "null"]) }
    if isLiteral {
      let pattern = Value.string(SchemaPattern.expression)
      alternatives = alternatives.map { ["allOf": [.object($0), ["not": ["type": "string", "pattern": pattern]]]] }
    }
    var schema: ValueObject =
      alternatives.count == 1 ? alternatives[0] : ["anyOf": .array(alternatives.map(Value.object))]
    if !summary.isEmpty { schema["description"] = .string(summary) }
    if let defaultValue { schema["default"] = defaultValue }
    return schema
  }
}

extension ValueType {
  /// Returns schemas for the type. A value must match at least one of them.
  fileprivate func alternatives(allowingExpressions: Bool) -> [ValueObject] {
    let literal = schema(allowingExpressions: allowingExpressions)
    switch self {
    case .any, .string, .path: return [literal]
    default:
      return allowingExpressions
        ? [literal, ["type": "string", "pattern": .string(SchemaPattern.expression)]] : [literal]
    }
  }

  private func schema(allowingExpressions: Bool) -> ValueObject {
    func nested(_ type: ValueType) -> Value {
      let alternatives = type.alternatives(allowingExpressions: allowingExpressions)
      return alternatives.count == 1 ? .object(alternatives[0]) : ["anyOf": .array(alternatives.map(Value.object))]
    }
    switch self {
    case .string, .path: return ["type": "string"]
    case .boolean: return ["type": "boolean"]
    case .integer: return ["type": "integer"]
    case .number: return ["type": "number"]
    case .duration: return ["$ref": "#/definitions/duration"]
    case .array(let element): return ["type": "array", "items": nested(element)]
    case .object(nil): return ["type": "object"]
    case .object(let properties?):
      var members = ValueObject()
      for property in properties {
        var schema = FieldDeclaration(property.name, property.type, isRequired: property.isRequired)
          .inputSchema(isLiteral: false)
        if !property.summary.isEmpty { schema["description"] = .string(property.summary) }
        members[property.name] = .object(schema)
      }
      var schema: ValueObject = ["type": "object", "additionalProperties": false, "properties": .object(members)]
      let required = properties.filter(\.isRequired).map { Value.string($0.name) }
      if !required.isEmpty { schema["required"] = .array(required) }
      return schema
    case .any: return [:]
    case .enumeration(let values, _): return ["enum": .array(values)]
    }
  }
}
