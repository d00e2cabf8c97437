import FlowModel

/// A budget held against what was measured or forecast.
package struct BudgetResult: Sendable {
  /// The rule.
  package let rule: BudgetRule
  /// What was found, in milliseconds or as a share; nil: it never happened.
  package let value: Double?
  /// What was allowed, in milliseconds or as a share; nil: there was nothing to compare with.
  package let limit: Double?
  /// Whether there was anything to hold to the limit: a step that never ran has no times.
  package let isMeasured: Bool

  /// Holds a rule against a value; `baseline` is the value of what is compared with.
  package init(_ rule: BudgetRule, value: Double?, isMeasured: Bool = true, baseline: Double? = nil) {
    self.rule = rule
    self.value = value
    self.isMeasured = isMeasured
    limit =
      switch rule.limit {
      case .duration(let duration): Double(duration.nanoseconds) / 1_000_000
      case .share(let share): share
      case .baseline(let factor): baseline.map { $0 * factor }
      }
  }

  /// Whether the rule is broken. What never happened is longer than any limit.
  package var isBroken: Bool {
    guard isMeasured else { return false }
    return !rule.allows(value ?? .infinity, limit: limit ?? .infinity)
  }

  /// Whether the value is a share, not a time.
  package var isShare: Bool {
    switch rule.subject {
    case .missed, .failed: true
    case .gate, .ready, .step: false
    }
  }
}
