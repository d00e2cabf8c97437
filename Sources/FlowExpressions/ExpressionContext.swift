import FlowModel

/// The values that an expression can read during evaluation.
public protocol ExpressionContext {
  /// Returns the value of a context such as `inputs`. Nil is treated as null.
  func value(named name: String) -> Value?

  /// Returns the value of `name.key`, for contexts that are too large to build as a whole, such as the steps of a big
  /// workflow.
  ///
  /// Called first if a literal key follows the name, as in `steps.build.outputs`. `key` is as written; keys of
  /// expressions are compared without case.
  func member(_ key: String, of name: String) -> ContextMember

  /// Returns the result of a status function.
  func status(_ function: StatusFunction) -> Bool
}

/// The result of ``ExpressionContext/member(_:of:)``.
public enum ContextMember: Sendable {
  /// The member has this value.
  case value(Value)
  /// There is no such member; the value is null.
  case missing
  /// The member must be looked up in the whole value.
  case inWhole
}

extension ExpressionContext {
  /// Requests that every member is looked up in the whole value.
  public func member(_ key: String, of name: String) -> ContextMember { .inWhole }
}

/// A context of fixed values in which all dependencies are satisfied.
public struct FixedContext: ExpressionContext, Sendable {
  /// The values of the contexts by name.
  public var values: ValueObject

  /// Creates a context with these values.
  public init(_ values: ValueObject = [:]) { self.values = values }

  /// Returns the value with this name.
  public func value(named name: String) -> Value? { values[name] }

  /// Returns true for `success()` and `always()`.
  public func status(_ function: StatusFunction) -> Bool { function == .success || function == .always }
}
