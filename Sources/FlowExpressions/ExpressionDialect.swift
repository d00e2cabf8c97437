import FlowModel

/// The names that an expression may use in addition to the standard functions.
public struct ExpressionDialect: Sendable, Hashable {
  /// The contexts, such as `inputs`, compared without case.
  public var names: [String]
  /// True if `success()`, `failure()`, `cancelled()` and `always()` are available.
  public var allowsStatusFunctions: Bool
  /// True if `*` multiplies.
  public var allowsArithmetic = false

  /// Creates a dialect with these contexts.
  public init(names: [String], allowsStatusFunctions: Bool = true) {
    self.names = names
    self.allowsStatusFunctions = allowsStatusFunctions
  }

  /// The dialect of `resources`: the number of the `attempt`, which may be multiplied.
  public static let resources = {
    var dialect = ExpressionDialect(names: ["attempt"], allowsStatusFunctions: false)
    dialect.allowsArithmetic = true
    return dialect
  }()

  /// The dialect of workflows: `inputs`, `env`, `steps`, `launch`, `run`, `gate`, `event`, `events`, `secrets`, `item`,
  /// `index`, `key`, and the status functions.
  public static let workflow = ExpressionDialect(
    names: ["inputs", "env", "steps", "launch", "run", "gate", "event", "events", "secrets"] + ItemContext.names)
}

/// The functions that query how previous steps ended.
public enum StatusFunction: String, Sendable, Hashable, CaseIterable {
  /// True if all direct dependencies are satisfied.
  case success
  /// True if a direct dependency is not satisfied, unless its event was never posted.
  case failure
  /// True if the run is being cancelled.
  case cancelled
  /// Always true.
  case always
}
