import FlowModel

/// Provides the values that an expression can read.
package protocol ExpressionContext {
  /// Returns the value of a context such as `inputs`. Nil stands for null.
  func value(named name: String) -> Value?

  /// Returns the value of `name.key`. It is called before ``value(named:)`` if a literal key follows the name, as in
  /// `steps.build.outputs`. So contexts that are large, such as the steps of a workflow, need not be built completely.
  ///
  /// `key` is as written in the expression. Implementations must ignore its case.
  func member(_ key: String, of name: String) -> ContextMember

  /// Returns the result of a status function.
  func status(_ function: StatusFunction) -> Bool
}

/// The result of ``ExpressionContext/member(_:of:)``.
package enum ContextMember: Sendable {
  /// The member exists and has this value.
  case value(Value)
  /// There is no such member. Its value is null.
  case missing
  /// The member must be looked up in the result of ``ExpressionContext/value(named:)``.
  case inWhole
}

extension ExpressionContext {
  /// By default, members are looked up in the whole context.
  package func member(_ key: String, of name: String) -> ContextMember { .inWhole }
}

/// A context with fixed values. `success()` is true.
package struct FixedContext: ExpressionContext, Sendable {
  /// The value of each context, by name.
  package var values: ValueObject

  package init(_ values: ValueObject = [:]) { self.values = values }

  /// Returns the value of the context with this name, or nil if there is none.
  package func value(named name: String) -> Value? { values[name] }

  /// True for `success()` and `always()`, as if all steps had succeeded.
  package func status(_ function: StatusFunction) -> Bool { function == .success || function == .always }
}
