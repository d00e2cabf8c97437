import FlowModel

/// A possible result of an expression, determined without evaluating the expression.
package enum PossibleResult: Sendable, Hashable {
  /// The result is exactly this value.
  case value(Value)
  /// The result has this type. It is `any` if nothing is known about the result.
  case type(ValueType)

  /// Returns the reason why the result cannot match `expected`, or nil if it may match.
  ///
  /// Null is accepted, because it is the value of a missing output. It is checked when the step runs.
  package func mismatch(with expected: ValueType) -> TypeMismatch? {
    switch self {
    case .value(.null): nil
    case .value(let value): expected.mismatch(of: value)
    case .type(let type):
      expected.overlaps(type)
        ? nil : TypeMismatch(path: "", expected: expected.expectation, found: type.expectation)
    }
  }
}

extension ValueType {
  /// True if some value may match both types. The properties of objects are not compared, and an empty list does not
  /// count as a match.
  package func overlaps(_ other: ValueType) -> Bool {
    switch (self, other) {
    case (.any, _), (_, .any): true
    case (.enumeration(let values, _), _): values.contains { other.mismatch(of: $0) == nil }
    case (_, .enumeration(let values, _)): values.contains { mismatch(of: $0) == nil }
    case (.array(let left), .array(let right)): left.overlaps(right)
    case (.object, .object), (.boolean, .boolean): true
    case (.integer, .integer), (.integer, .number), (.number, .integer), (.number, .number): true
    case (.string, .string), (.string, .duration), (.string, .path): true
    case (.duration, .string), (.duration, .duration), (.duration, .path): true
    case (.path, .string), (.path, .duration), (.path, .path): true
    default: false
    }
  }
}
