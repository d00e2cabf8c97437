import FlowModel

/// The state of evaluating an expression once.
struct Evaluator<Context: ExpressionContext> {
  let nodes: [ExpressionNode]
  let context: Context
  var memory = MemoryMeter()
  /// The arrays and objects that have been read from contexts, by `name` or `name.key`. They are kept so that each has
  /// a single identity.
  private var contexts: [String: Operand] = [:]

  init(nodes: [ExpressionNode], context: Context) {
    self.nodes = nodes
    self.context = context
  }

  /// Evaluates a node. The recursion cannot be deep, because the nesting depth of expressions is limited.
  mutating func evaluate(_ index: ExpressionNode.Index) throws(ExpressionError) -> Operand {
    let node = nodes[Int(index)]
    switch node.kind {
    case .null: return .null
    case .boolean(let value): return .boolean(value)
    case .number(let value): return .number(value)
    case .string(let value): return .string(value)
    case .name, .index, .filter:
      let operand = try access(index)
      try checkWhole(operand, at: index)
      return operand
    case .not(let operand): return .boolean(try !evaluate(operand).isTrue)
    case .comparison(let comparison, let left, let right):
      return .boolean(Self.compare(comparison, try evaluate(left), try evaluate(right)))
    case .product(let left, let right): return .number(try evaluate(left).number * evaluate(right).number)
    case .and(let parts): return try firstPart(parts, thatIs: false)
    case .or(let parts): return try firstPart(parts, thatIs: true)
    case .status(let function): return .boolean(context.status(function))
    case .call(let function, let arguments):
      let mark = memory.used
      let result = try call(function, arguments, node)
      // A scalar result does not refer to the arguments, so their memory is released. A collection may refer to them.
      if !result.isCollection {
        memory.release(to: mark)
        if case .string(let text) = result, function.makesItsResult, !memory.add(text) { throw tooMuchMemory(node) }
      }
      return result
    }
  }

  private static func compare(_ comparison: Comparison, _ left: Operand, _ right: Operand) -> Bool {
    switch comparison {
    case .equal: Operand.areEqual(left, right)
    case .notEqual: !Operand.areEqual(left, right)
    case .less: Operand.isLess(left, right)
    case .lessOrEqual: Operand.areEqual(left, right) || Operand.isLess(left, right)
    case .greater: Operand.isLess(right, left)
    case .greaterOrEqual: Operand.areEqual(left, right) || Operand.isLess(right, left)
    }
  }

  /// Evaluates the parts in order until the truth value of one is `wanted`. Returns the value of that part or, if there
  /// is none, of the last one. `wanted` is true for `||` and false for `&&`.
  private mutating func firstPart(_ parts: [ExpressionNode.Index], thatIs wanted: Bool) throws(ExpressionError)
    -> Operand
  {
    var result = Operand.null
    for part in parts {
      result = try evaluate(part)
      if result.isTrue == wanted { break }
    }
    return result
  }

  // MARK: Contexts and members

  /// Evaluates a node like ``evaluate(_:)``, but does not throw for outputs that were shortened.
  mutating func access(_ index: ExpressionNode.Index) throws(ExpressionError) -> Operand {
    let node = nodes[Int(index)]
    switch node.kind {
    case .name(let name): return whole(name)
    case .index(let target, let key): return try member(of: target, key: key, node)
    case .filter(let target): return try filter(try access(target), node)
    default: return try evaluate(index)
    }
  }

  private mutating func whole(_ name: String) -> Operand {
    if let known = contexts[name] { return known }
    let operand = context.value(named: name).map(Operand.init) ?? .null
    if operand.isCollection { contexts[name] = operand }
    return operand
  }

  private mutating func member(
    of target: ExpressionNode.Index, key: ExpressionNode.Index, _ node: ExpressionNode
  ) throws(ExpressionError) -> Operand {
    if case .name(let name) = nodes[Int(target)].kind, case .string(let key) = nodes[Int(key)].kind,
      let operand = contextMember(key, of: name)
    {
      return operand
    }
    let key = try evaluate(key)
    // A computed key refers to the same member as a literal key with the same text.
    if case .name(let name) = nodes[Int(target)].kind, case .string(let text) = key,
      let operand = contextMember(text, of: name)
    {
      return operand
    }
    let collection = try access(target)
    switch collection {
    case .object(let object): return key.memberKey.flatMap(object.member) ?? .null
    case .array(let array) where array.isFiltered: return try members(of: array, key, node)
    case .array(let array): return Self.element(of: array, key) ?? .null
    default: return .null
    }
  }

  private mutating func contextMember(_ key: String, of name: String) -> Operand? {
    switch context.member(key, of: name) {
    case .inWhole: return nil
    case .missing: return .null
    case .value(let value):
      let path = "\(name).\(key.lowercased())"
      if let known = contexts[path] { return known }
      let operand = Operand(value)
      if operand.isCollection { contexts[path] = operand }
      return operand
    }
  }

  private static func element(of array: ArrayReference, _ key: Operand) -> Operand? {
    let index = key.number.rounded(.down)
    guard index >= 0, index < Double(array.elements.count) else { return nil }
    return array.element(at: Int(index))
  }

  /// Evaluates an index after `*`: collects this member from each element that has it.
  private mutating func members(
    of array: ArrayReference, _ key: Operand, _ node: ExpressionNode
  ) throws(ExpressionError) -> Operand {
    let memberKey = key.memberKey
    var found: [Operand] = []
    for index in array.elements.indices {
      switch array.element(at: index) {
      case .object(let object): if let member = memberKey.flatMap(object.member) { found.append(member) }
      case .array(let inner): if let element = Self.element(of: inner, key) { found.append(element) }
      default: break
      }
    }
    return try filtered(found, node)
  }

  /// Evaluates `.*`: returns all elements or, after another `*`, the elements of all elements.
  private mutating func filter(_ collection: Operand, _ node: ExpressionNode) throws(ExpressionError) -> Operand {
    switch collection {
    case .object(let object): return try filtered(object.operands, node)
    case .array(let array) where array.isFiltered:
      var found: [Operand] = []
      for index in array.elements.indices {
        switch array.element(at: index) {
        case .object(let object): found += object.operands
        case .array(let inner): found += inner.operands
        default: break
        }
      }
      return try filtered(found, node)
    case .array(let array): return try filtered(array.operands, node)
    default: return try filtered([], node)
    }
  }

  private mutating func filtered(_ operands: [Operand], _ node: ExpressionNode) throws(ExpressionError) -> Operand {
    guard memory.add(elements: operands.count) else { throw tooMuchMemory(node) }
    return .array(ArrayReference(filtered: operands))
  }

  // MARK: Errors

  func failure(_ message: String, _ node: ExpressionNode, help: String? = nil) -> ExpressionError {
    ExpressionError(
      .evaluation, message, offset: Int(node.range.lowerBound), length: node.range.count, help: help)
  }

  func tooMuchMemory(_ node: ExpressionNode) -> ExpressionError {
    failure(
      "The maximum allowed memory size was exceeded", node,
      help: "an expression makes at most \(MemoryMeter.limit >> 20) MiB; compute parts of it in steps of their own")
  }
}

extension Operand {
  /// The operand as the key of an object's member, or nil for an array or object.
  fileprivate var memberKey: String? { isCollection ? nil : text }
}
