import FlowModel

/// What an expression may name besides the functions that every expression has.
public struct ExpressionDialect: Sendable, Hashable {
  /// The named values, such as `inputs`; case does not matter.
  public var names: [String]
  /// Whether `success()`, `failure()`, `cancelled()` and `always()` may be called.
  public var allowsStatusFunctions: Bool
  /// Whether `*` multiplies.
  public var allowsArithmetic = false

  /// A dialect of these names.
  public init(names: [String], allowsStatusFunctions: Bool = true) {
    self.names = names
    self.allowsStatusFunctions = allowsStatusFunctions
  }

  /// What `resources` name: `attempt`, the number of the attempt, which they may multiply.
  public static let resources = {
    var dialect = ExpressionDialect(names: ["attempt"], allowsStatusFunctions: false)
    dialect.allowsArithmetic = true
    return dialect
  }()

  /// What workflows name: `inputs`, `env`, `steps`, `launch`, `run`, `gate`, `event`, `events`, `secrets`, `item`, `index`, `key`, and the
  /// status functions.
  public static let workflow = ExpressionDialect(
    names: ["inputs", "env", "steps", "launch", "run", "gate", "event", "events", "secrets"] + ItemContext.names)
}

/// The functions that ask how the steps before this one ended.
public enum StatusFunction: String, Sendable, Hashable, CaseIterable {
  /// Every direct dependency is satisfied.
  case success
  /// Some direct dependency is not, for another reason than an event that was never posted.
  case failure
  /// The run is being cancelled.
  case cancelled
  /// True, whatever happened.
  case always
}
