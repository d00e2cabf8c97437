import FlowModel

/// The values that an expression can read.
package protocol ExpressionContext {
  /// Returns the value of a context such as `inputs`, or nil for null.
  func value(named name: String) -> Value?

  /// Returns the value of `name.key`. It allows contexts that are too large to build completely, such as the steps of a
  /// large workflow.
  ///
  /// It is called first if a literal key follows the name, as in `steps.build.outputs`. `key` is as written; the case
  /// of keys must be ignored.
  func member(_ key: String, of name: String) -> ContextMember

  /// Returns the result of a status function.
  func status(_ function: StatusFunction) -> Bool
}

/// The result of ``ExpressionContext/member(_:of:)``.
package enum ContextMember: Sendable {
  /// The member has this value.
  case value(Value)
  /// There is no such member, so the value is null.
  case missing
  /// The member must be read from ``ExpressionContext/value(named:)``.
  case inWhole
}

extension ExpressionContext {
  /// Returns `inWhole`.
  package func member(_ key: String, of name: String) -> ContextMember { .inWhole }
}

/// A context with fixed values, in which `success()` is true.
package struct FixedContext: ExpressionContext, Sendable {
  /// The values of the contexts, by name.
  package var values: ValueObject

  /// Creates a context.
  package init(_ values: ValueObject = [:]) { self.values = values }

  /// Returns the value with this name, or nil.
  package func value(named name: String) -> Value? { values[name] }

  /// True for `success()` and `always()`.
  package func status(_ function: StatusFunction) -> Bool { function == .success || function == .always }
}
