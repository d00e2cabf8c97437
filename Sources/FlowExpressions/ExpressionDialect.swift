import FlowModel

/// The contexts, functions and operators that an expression can use.
package struct ExpressionDialect: Sendable, Hashable {
  /// The names of the contexts, such as `inputs`. Expressions can write them in any case.
  package var names: [String]
  /// True if `success()`, `failure()`, `cancelled()` and `always()` are available.
  package var allowsStatusFunctions: Bool
  /// True if `*` can be used for multiplication.
  package var allowsArithmetic = false

  package init(names: [String], allowsStatusFunctions: Bool = true) {
    self.names = names
    self.allowsStatusFunctions = allowsStatusFunctions
  }

  /// The dialect of `resources`. Its only context is `attempt`, the number of the attempt, which can be multiplied.
  package static let resources = {
    var dialect = ExpressionDialect(names: ["attempt"], allowsStatusFunctions: false)
    dialect.allowsArithmetic = true
    return dialect
  }()

  /// The dialect of workflows. Its contexts are `inputs`, `env`, `steps`, `launch`, `run`, `gate`, `event`, `events`,
  /// `secrets`, `item`, `index` and `key`. Status functions are available.
  package static let workflow = ExpressionDialect(
    names: ["inputs", "env", "steps", "launch", "run", "gate", "event", "events", "secrets"] + ItemContext.names)
}

/// The functions that check the outcomes of other steps.
package enum StatusFunction: String, Sendable, Hashable, CaseIterable {
  /// True if all direct dependencies are satisfied.
  case success
  /// True if a direct dependency is not satisfied. A dependency that waits for an event that was never posted does not
  /// count.
  case failure
  /// True if the run is being cancelled.
  case cancelled
  /// True in every case.
  case always
}
