import FlowModel

/// The contexts and operators that an expression may use.
package struct ExpressionDialect: Sendable, Hashable {
  /// The names of the contexts, such as `inputs`. Their case is ignored.
  package var names: [String]
  /// True if `success()`, `failure()`, `cancelled()` and `always()` are available.
  package var allowsStatusFunctions: Bool
  /// True if `*` may be used for multiplication.
  package var allowsArithmetic = false

  /// Creates a dialect.
  package init(names: [String], allowsStatusFunctions: Bool = true) {
    self.names = names
    self.allowsStatusFunctions = allowsStatusFunctions
  }

  /// The dialect of `resources`: `attempt` is the number of the attempt, which may be multiplied.
  package static let resources = {
    var dialect = ExpressionDialect(names: ["attempt"], allowsStatusFunctions: false)
    dialect.allowsArithmetic = true
    return dialect
  }()

  /// The dialect of workflows: `inputs`, `env`, `steps`, `launch`, `run`, `gate`, `event`, `events`, `secrets`, `item`,
  /// `index` and `key`, and the status functions.
  package static let workflow = ExpressionDialect(
    names: ["inputs", "env", "steps", "launch", "run", "gate", "event", "events", "secrets"] + ItemContext.names)
}

/// The functions that check the outcomes of earlier steps.
package enum StatusFunction: String, Sendable, Hashable, CaseIterable {
  /// True if all direct dependencies are satisfied.
  case success
  /// True if a direct dependency is not satisfied for another reason than an event that was never posted.
  case failure
  /// True if the run is being cancelled.
  case cancelled
  /// Always true.
  case always
}
