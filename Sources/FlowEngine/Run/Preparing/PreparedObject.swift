import FlowExpressions
import FlowModel

/// An object whose expressions have been parsed.
struct PreparedObject: Sendable {
  /// The object if it contains no expressions; otherwise nil.
  let literal: ValueObject?
  private let members: [(key: String, value: PreparedValue)]
  /// The members if at least one of them contains an expression; otherwise none.
  var evaluatedMembers: [(key: String, value: PreparedValue)] { members }

  init(_ object: ValueObject, _ texts: WorkflowTexts) throws(ExpressionError) {
    var members: [(key: String, value: PreparedValue)] = []
    var isLiteral = true
    for (key, value) in object {
      let prepared = try PreparedValue(value, texts)
      if case .literal = prepared {} else { isLiteral = false }
      members.append((key, prepared))
    }
    literal = isLiteral ? object : nil
    self.members = isLiteral ? [] : members
  }

  /// True if the expressions call no status functions and read no contexts except `names`, which must be in lower case.
  func reads(only names: Set<String>) -> Bool { members.allSatisfy { $0.value.reads(only: names) } }

  var references: [ContextReference] { members.flatMap(\.value.references) }

  /// Returns the member with this key, or nil if there is none.
  func member(_ key: String, ignoresCase: Bool) -> PreparedValue? {
    func isSame(_ other: String) -> Bool {
      ignoresCase ? other.lowercased() == key.lowercased() : other.utf8.elementsEqual(key.utf8)
    }
    if let literal { return literal.first { isSame($0.key) }.map { .literal($0.value) } }
    return members.first { isSame($0.key) }?.value
  }

  func evaluate(in context: some ExpressionContext) throws(ExpressionError) -> ValueObject {
    if let literal { return literal }
    var object = ValueObject()
    for (key, value) in members { object[key] = try value.evaluate(in: context) }
    return object
  }
}

/// A value whose expressions have been parsed.
indirect enum PreparedValue: Sendable {
  case literal(Value)
  case template(Template)
  case array([PreparedValue])
  case object([(String, PreparedValue)])

  init(_ value: Value, _ texts: WorkflowTexts) throws(ExpressionError) {
    guard value.containsExpression else {
      self = .literal(value)
      return
    }
    switch value {
    case .string(let text): self = .template(try texts.template(text))
    case .array(let values):
      var prepared: [PreparedValue] = []
      for value in values { prepared.append(try PreparedValue(value, texts)) }
      self = .array(prepared)
    case .object(let members):
      var prepared: [(String, PreparedValue)] = []
      for (key, value) in members { prepared.append((key, try PreparedValue(value, texts))) }
      self = .object(prepared)
    case .null, .boolean, .integer, .number: self = .literal(value)
    }
  }

  /// True if the expressions call no status functions and read no contexts except `names`, which must be in lower case.
  func reads(only names: Set<String>) -> Bool {
    switch self {
    case .literal: true
    case .template(let template):
      template.expressions.allSatisfy { _, expression in
        expression.statusFunctions.isEmpty
          && expression.references.allSatisfy { names.contains($0.name.lowercased()) }
      }
    case .array(let values): values.allSatisfy { $0.reads(only: names) }
    case .object(let members): members.allSatisfy { $0.1.reads(only: names) }
    }
  }

  var references: [ContextReference] {
    switch self {
    case .literal: []
    case .template(let template): template.expressions.flatMap(\.expression.references)
    case .array(let values): values.flatMap(\.references)
    case .object(let members): members.flatMap(\.1.references)
    }
  }

  func evaluate(in context: some ExpressionContext) throws(ExpressionError) -> Value {
    try evaluate(in: context, quoting: nil)
  }

  /// Evaluates the value. `quote` is applied to each string that an expression returns.
  func evaluate(
    in context: some ExpressionContext, quoting quote: ((String) -> String)?
  ) throws(ExpressionError) -> Value {
    switch self {
    case .literal(let value): return value
    case .template(let template):
      if let quote { return try template.evaluate(in: context, quoting: quote) }
      return try template.evaluate(in: context)
    case .array(let values):
      var evaluated: [Value] = []
      for value in values { evaluated.append(try value.evaluate(in: context, quoting: quote)) }
      return .array(evaluated)
    case .object(let members):
      var object = ValueObject()
      for (key, value) in members { object[key] = try value.evaluate(in: context, quoting: quote) }
      return .object(object)
    }
  }
}
