import FlowModel

/// The world that an expression is evaluated in.
public protocol ExpressionContext {
  /// The value of a named value of the dialect, such as `inputs`; nil is read as null.
  func value(named name: String) -> Value?

  /// The value of `name.key`, for named values too large to be made whole, such as the steps of a big workflow.
  ///
  /// Asked first wherever a literal key follows the name, as in `steps.build.outputs`. `key` is as written; keys of
  /// expressions compare without case.
  func member(_ key: String, of name: String) -> ContextMember

  /// What a status function answers here.
  func status(_ function: StatusFunction) -> Bool
}

/// An answer of ``ExpressionContext/member(_:of:)``.
public enum ContextMember: Sendable {
  /// The member has this value.
  case value(Value)
  /// There is no such member: null.
  case missing
  /// Look it up in the whole value.
  case inWhole
}

extension ExpressionContext {
  /// Looks every member up in the whole value.
  public func member(_ key: String, of name: String) -> ContextMember { .inWhole }
}

/// A context of fixed values in which every dependency is satisfied.
public struct FixedContext: ExpressionContext, Sendable {
  /// The named values.
  public var values: ValueObject

  /// A context of these values.
  public init(_ values: ValueObject = [:]) { self.values = values }

  /// The value under this name.
  public func value(named name: String) -> Value? { values[name] }

  /// True for `success()` and `always()`.
  public func status(_ function: StatusFunction) -> Bool { function == .success || function == .always }
}
