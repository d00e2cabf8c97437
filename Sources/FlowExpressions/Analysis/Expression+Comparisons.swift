import FlowModel

/// A comparison with `==` or `!=` that has the same result in every run.
package struct ConstantComparison: Sendable, Hashable {
  /// The result of the comparison in every run: false for `==`, true for `!=`.
  package let result: Bool
  /// The offset of the comparison in the expression, in bytes.
  package let offset: Int
  /// The length of the comparison in bytes.
  package let length: Int
  /// The text of the operand whose possible values are known.
  package let side: String
  /// The type of that operand. It determines the possible values.
  package let type: ValueType
  /// The literal that the operand is compared with, or nil if the other operand is not a literal.
  package let value: Value?
}

extension Expression {
  /// Returns the comparisons with `==` or `!=` whose operands can never be equal, as far as their types show it. `type`
  /// returns the type of a reference, or nil if it is unknown.
  package func constantComparisons(given type: (ContextReference) -> ValueType?) -> [ConstantComparison] {
    nodes.compactMap { node in
      guard case .comparison(let comparison, let left, let right) = node.kind,
        comparison == .equal || comparison == .notEqual
      else { return nil }
      let sides = [left, right].map { (index: $0, results: Outcomes(expression: self).of($0, type).map(\.result)) }
      guard let known = sides.firstIndex(where: { $0.results.count == 1 && $0.results[0].knownType != nil }),
        let knownType = sides[known].results[0].knownType
      else { return nil }
      let others = sides[1 - known].results
      guard !others.isEmpty, others.allSatisfy({ !$0.mayEqual(knownType) }) else { return nil }
      var value: Value?
      if others.count == 1, case .value(let literal) = others[0] { value = literal }
      return ConstantComparison(
        result: comparison == .notEqual, offset: Int(node.range.lowerBound), length: node.range.count,
        side: source(of: sides[known].index), type: knownType, value: value)
    }
  }

  private func source(of index: ExpressionNode.Index) -> String {
    let range = nodes[Int(index)].range
    return String(decoding: Array(source.utf8)[Int(range.lowerBound)..<Int(range.upperBound)], as: UTF8.self)
  }
}

extension PossibleResult {
  /// The type of the result, or nil for a literal and for a type that allows any string.
  fileprivate var knownType: ValueType? {
    switch self {
    case .type(.any), .type(.string), .type(.path), .type(.duration), .value: nil
    case .type(let type): type
    }
  }

  /// True if a value of `type` may equal this result.
  fileprivate func mayEqual(_ type: ValueType) -> Bool {
    switch self {
    case .value(let value): type.mayEqual(value)
    case .type(let own):
      if let values = own.finiteValues {
        values.contains(where: type.mayEqual)
      } else if let values = type.finiteValues {
        values.contains(where: own.mayEqual)
      } else {
        true
      }
    }
  }
}

extension ValueType {
  /// All values of the type, or nil if the type has too many to list them.
  fileprivate var finiteValues: [Value]? {
    switch self {
    case .boolean: [.boolean(true), .boolean(false)]
    case .enumeration(let values, _): values
    default: nil
    }
  }

  /// True if an expression may treat a value of this type as equal to `value`. A reference may also be null.
  fileprivate func mayEqual(_ value: Value) -> Bool {
    let operand = Operand(value)
    if Operand.areEqual(.null, operand) { return true }
    if let values = finiteValues { return values.contains { Operand.areEqual(Operand($0), operand) } }
    switch self {
    case .integer, .number: return !operand.number.isNaN
    case .array, .object: return false
    default: return true
    }
  }
}
