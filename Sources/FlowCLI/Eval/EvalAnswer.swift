import FlowExpressions
import FlowModel

/// The answer of `flowrun eval` to an expression: `{"kind":…,"value":…}` or `{"error":{"kind":…,"message":…}}`.
struct EvalAnswer {
  let value: Value
  /// The error, or nil if the expression could be evaluated.
  let error: ExpressionError?

  /// Evaluates an expression, which can read only the members of `contexts`.
  init(_ source: String, contexts: ValueObject) {
    do throws(ExpressionError) {
      guard case .object(let contexts) = Value.object(contexts).withKeysUniqueWithoutCase else {
        preconditionFailure("an object stays an object")
      }
      let expression = try Expression(parsing: source, dialect: ExpressionDialect(names: contexts.keys))
      let result = try expression.evaluate(in: FixedContext(contexts))
      value = ["kind": .string(result.expressionKind), "value": result]
      error = nil
    } catch {
      var object: ValueObject = ["kind": .string(error.kind.rawValue), "message": .string(error.message(in: source))]
      if let help = error.help { object["help"] = .string(help) }
      value = ["error": .object(object)]
      self.error = error
    }
  }

  /// Returns the answer to an invalid line of a batch.
  static func broken(_ message: String) -> Value { ["error": ["kind": "parsing", "message": .string(message)]] }

  /// Returns the answer to one line of a batch. The line has the form `{"expr":…,"contexts":{…}}`.
  static func answer(_ question: ValueObject) -> Value {
    guard let expression = question["expr"] else {
      return broken(#"the key "expr" is missing: each line is {"expr":…,"contexts":{…}}"#)
    }
    guard case .string(let source) = expression else {
      return broken(#""expr" must be a string, not \#(expression.shortText)"#)
    }
    switch question["contexts"] ?? .null {
    case .null: return EvalAnswer(source, contexts: [:]).value
    case .object(let contexts): return EvalAnswer(source, contexts: contexts).value
    case let other: return broken(#""contexts" must be an object, not \#(other.shortText)"#)
    }
  }
}

extension Value {
  /// The type of the value in expressions, which have only one type of number.
  fileprivate var expressionKind: String {
    switch self {
    case .null: "Null"
    case .boolean: "Boolean"
    case .integer, .number: "Number"
    case .string: "String"
    case .array: "Array"
    case .object: "Object"
    }
  }
}
