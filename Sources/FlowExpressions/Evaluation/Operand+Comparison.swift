/// Compares operands by the rules of ECMAScript's loose equality, except that case is ignored and collections are not
/// converted.
extension Operand {
  /// Returns the result of `left == right`.
  static func areEqual(_ left: Operand, _ right: Operand) -> Bool {
    switch coerced(left, right) {
    case .nulls: true
    case .booleans(let a, let b): a == b
    case .numbers(let a, let b): a == b
    case .strings(let a, let b): CaseFolding.areEqual(a, b)
    case .collections(let a, let b): a === b
    case .unlike: false
    }
  }

  /// Returns the result of `left < right`.
  static func isLess(_ left: Operand, _ right: Operand) -> Bool {
    switch coerced(left, right) {
    case .booleans(let a, let b): !a && b
    case .numbers(let a, let b): a < b
    case .strings(let a, let b): CaseFolding.isLess(a, b)
    case .nulls, .collections, .unlike: false
    }
  }

  /// Two operands after their conversion to a common type.
  private enum Pair {
    case nulls
    case booleans(Bool, Bool)
    case numbers(Double, Double)
    case strings(String, String)
    case collections(AnyObject, AnyObject)
    case unlike
  }

  private static func coerced(_ left: Operand, _ right: Operand) -> Pair {
    switch (left, right) {
    case (.null, .null): .nulls
    case (.boolean(let a), .boolean(let b)): .booleans(a, b)
    case (.string(let a), .string(let b)): .strings(a, b)
    case (.array(let a), .array(let b)): .collections(a, b)
    case (.object(let a), .object(let b)): .collections(a, b)
    case (.array, _), (.object, _), (_, .array), (_, .object): .unlike
    default: .numbers(left.number, right.number)
    }
  }
}
