import FlowModel

extension Expression {
  /// Returns the possible results of the expression. `type` returns the type of a reference, or nil if it is unknown.
  ///
  /// For example, the results of `a && 'x' || 'y'` are `'x'` and `'y'`, whatever `a` is. So both can be checked.
  package func possibleResults(given type: (ContextReference) -> ValueType?) -> [PossibleResult] {
    guard let root else { return [.value(.null)] }
    return Outcomes(expression: self).of(root, type).map(\.result)
  }

  /// Returns the mismatch of the first possible result that cannot match `expected`, or nil if all results may match.
  package func mismatch(
    with expected: ValueType, given type: (ContextReference) -> ValueType?
  ) -> TypeMismatch? {
    possibleResults(given: type).lazy.compactMap { $0.mismatch(with: expected) }.first
  }
}

/// Determines the possible results of an expression.
struct Outcomes {
  /// A possible result. As a condition, it may be true, false, or either.
  struct Outcome: Hashable {
    var result: PossibleResult
    var mayBeTrue: Bool
    var mayBeFalse: Bool

    init(_ result: PossibleResult) {
      self.result = result
      switch result {
      case .value(let value):
        mayBeTrue = Operand(value).isTrue
        mayBeFalse = !mayBeTrue
      case .type(.array), .type(.object): (mayBeTrue, mayBeFalse) = (true, false)
      case .type: (mayBeTrue, mayBeFalse) = (true, true)
      }
    }
  }

  /// A function that returns the type of a reference, or nil if it is unknown.
  typealias Types = (ContextReference) -> ValueType?

  let expression: Expression

  /// The maximum number of results. If there are more, a single result of unknown type replaces them.
  private static let most = 32

  func of(_ index: ExpressionNode.Index, _ type: Types) -> [Outcome] {
    switch expression.nodes[Int(index)].kind {
    case .null: [Outcome(.value(.null))]
    case .boolean(let value): [Outcome(.value(.boolean(value)))]
    case .number(let value): [Outcome(.value(.number(value)))]
    case .string(let value): [Outcome(.value(.string(value)))]
    case .not, .comparison, .status: [Outcome(.type(.boolean))]
    case .product: [Outcome(.type(.number))]
    case .name, .index: [Outcome(.type(accessed(index, type)))]
    case .filter: [Outcome(.type(.array(of: .any)))]
    case .and(let parts): ofChain(parts, passing: \.mayBeTrue, stopping: \.mayBeFalse, type)
    case .or(let parts): ofChain(parts, passing: \.mayBeFalse, stopping: \.mayBeTrue, type)
    case .call(let function, let arguments): ofCall(function, arguments, type)
    }
  }

  /// Returns the possible results of a chain of `&&` or `||`. For `&&`, these are the falsy values of each operand, and
  /// all values of the last operand if the others can be truthy. For `||`, truthy and falsy are exchanged.
  private func ofChain(
    _ parts: [ExpressionNode.Index], passing: KeyPath<Outcome, Bool>, stopping: KeyPath<Outcome, Bool>, _ type: Types
  ) -> [Outcome] {
    var found: [Outcome] = []
    for part in parts.dropLast() {
      let outcomes = of(part, type)
      found += outcomes.filter { $0[keyPath: stopping] }.map { narrowed($0, to: stopping) }
      guard outcomes.contains(where: { $0[keyPath: passing] }) else { return unique(found) }
    }
    return unique(found + of(parts[parts.count - 1], type))
  }

  /// Narrows a result at which a chain ends. A Boolean that ends `&&` is false. One that ends `||` is true.
  private func narrowed(_ outcome: Outcome, to stopping: KeyPath<Outcome, Bool>) -> Outcome {
    let isTrue = stopping == \Outcome.mayBeTrue
    if outcome.result == .type(.boolean) { return Outcome(.value(.boolean(isTrue))) }
    var copy = outcome
    (copy.mayBeTrue, copy.mayBeFalse) = (isTrue, !isTrue)
    return copy
  }

  private func ofCall(
    _ function: Function, _ arguments: [ExpressionNode.Index], _ type: Types
  ) -> [Outcome] {
    switch function {
    case .contains, .startsWith, .endsWith: return [Outcome(.type(.boolean))]
    case .format, .join, .toJSON, .trim, .replace, .first, .last: return [Outcome(.type(.string))]
    case .split, .lines: return [Outcome(.type(.array(of: .string)))]
    case .fromJSON: return [Outcome(.type(.any))]
    case .choose:
      let results = arguments.indices.filter { $0 % 2 == 1 || $0 == arguments.count - 1 }
      return unique(results.flatMap { of(arguments[$0], type) })
    }
  }

  private func accessed(_ index: ExpressionNode.Index, _ type: Types) -> ValueType {
    if let reference = expression.reference(at: index) { return type(reference) ?? .any }
    guard case .index(let target, let key) = expression.nodes[Int(index)].kind else { return .any }
    switch (target: accessed(target, type), key: expression.nodes[Int(key)].kind) {
    case (.array(let element), .number): return element
    case (.object(let properties?), .string(let name)):
      return properties.first { CaseFolding.areEqual($0.name, name) }?.type ?? .any
    default: return .any
    }
  }

  private func unique(_ outcomes: [Outcome]) -> [Outcome] {
    var seen: Set<Outcome> = []
    let kept = outcomes.filter { seen.insert($0).inserted }
    return kept.count > Self.most ? [Outcome(.type(.any))] : kept
  }
}
