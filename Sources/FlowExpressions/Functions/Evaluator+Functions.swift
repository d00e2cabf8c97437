import FlowModel

extension Evaluator {
  /// Calls a function. Arguments that do not affect the result are not evaluated.
  mutating func call(
    _ function: Function, _ arguments: [ExpressionNode.Index], _ node: ExpressionNode
  ) throws(ExpressionError) -> Operand {
    switch function {
    case .contains: return .boolean(try contains(arguments))
    case .startsWith: return .boolean(try compareTexts(arguments, CaseFolding.hasPrefix))
    case .endsWith: return .boolean(try compareTexts(arguments, CaseFolding.hasSuffix))
    case .format: return .string(try format(arguments, node))
    case .join: return .string(try join(arguments, node))
    case .toJSON:
      return .string(JSONText.write(try evaluate(arguments[0]).value, layout: .indented, numbers: .javaScript))
    case .fromJSON: return try fromJSON(arguments, node)
    case .choose: return try choose(arguments, node)
    case .trim: return .string(try trim(arguments, node))
    case .split: return try split(arguments, node)
    case .replace: return .string(try replace(arguments, node))
    case .lines: return try lines(arguments, node)
    case .first: return .string(try lines(.first, arguments, node))
    case .last: return .string(try lines(.last, arguments, node))
    }
  }

  private mutating func contains(_ arguments: [ExpressionNode.Index]) throws(ExpressionError) -> Bool {
    let item = arguments[1]
    switch try evaluate(arguments[0]) {
    case .object: return false
    case .array(let array):
      guard !array.elements.isEmpty else { return false }
      let item = try evaluate(item)
      return array.elements.indices.contains { Operand.areEqual(item, array.element(at: $0)) }
    case let scalar:
      let item = try evaluate(item)
      return !item.isCollection && CaseFolding.contains(scalar.text, item.text)
    }
  }

  private mutating func compareTexts(
    _ arguments: [ExpressionNode.Index], _ holds: (String, String) -> Bool
  ) throws(ExpressionError) -> Bool {
    let text = try evaluate(arguments[0])
    guard !text.isCollection else { return false }
    let part = try evaluate(arguments[1])
    return !part.isCollection && holds(text.text, part.text)
  }

  private mutating func join(_ arguments: [ExpressionNode.Index], _ node: ExpressionNode) throws(ExpressionError)
    -> String
  {
    switch try evaluate(arguments[0]) {
    case .object: return ""
    case .array(let array):
      var separator = ","
      if arguments.count > 1, array.elements.count > 1 {
        let given = try evaluate(arguments[1])
        if !given.isCollection { separator = given.text }
      }
      var result = ""
      var meter = MemoryMeter()
      for (index, element) in array.elements.enumerated() {
        let piece = (index > 0 ? separator : "") + Operand(element).text
        guard meter.add(piece) else { throw tooMuchMemory(node) }
        result += piece
      }
      return result
    case let scalar: return scalar.text
    }
  }

  private mutating func fromJSON(_ arguments: [ExpressionNode.Index], _ node: ExpressionNode) throws(ExpressionError)
    -> Operand
  {
    let text = try evaluate(arguments[0]).text
    let value: Value
    do throws(JSONProblem) {
      value = try JSONText.parse(text, rules: .init(isLenient: true))
    } catch {
      let location = "line \(error.line), column \(error.column)"
      throw failure("Error parsing fromJSON: \(error.message) (\(location))", node, help: error.help)
    }
    guard memory.add(elements: 0) else { throw tooMuchMemory(node) }
    return Operand(value.withKeysUniqueWithoutCase)
  }

  private mutating func choose(_ arguments: [ExpressionNode.Index], _ node: ExpressionNode) throws(ExpressionError)
    -> Operand
  {
    for index in stride(from: 0, to: arguments.count - 1, by: 2) {
      guard case .boolean(let holds) = try evaluate(arguments[index]) else {
        throw failure(
          "case predicate must evaluate to a boolean value", nodes[Int(arguments[index])],
          help: "compare it, or negate it twice: !!x")
      }
      if holds { return try evaluate(arguments[index + 1]) }
    }
    return try evaluate(arguments[arguments.count - 1])
  }
}

extension Value {
  /// The value without duplicate keys. If keys differ only in case, only the first of them is kept.
  package var withKeysUniqueWithoutCase: Value {
    switch self {
    case .array(let elements): return .array(elements.map(\.withKeysUniqueWithoutCase))
    case .object(let members):
      var seen: Set<[UInt16]> = []
      var unique = ValueObject()
      for (key, value) in members where seen.insert(CaseFolding.folded(key)).inserted {
        unique[key] = value.withKeysUniqueWithoutCase
      }
      return .object(unique)
    default: return self
    }
  }
}
