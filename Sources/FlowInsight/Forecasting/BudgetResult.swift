import FlowModel

/// The outcome of checking a budget against a measured or forecast value.
package struct BudgetResult: Sendable {
  package let rule: BudgetRule
  /// The measured value, in milliseconds or as a share, or nil if the event never happened.
  package let value: Double?
  /// The limit, in milliseconds or as a share, or nil if it depends on a baseline and there is none.
  package let limit: Double?
  /// True if there is a value to compare. False for a step that did not run, which has no times.
  package let isMeasured: Bool

  /// Checks a rule against a value. `baseline` is the value of the runs to which a relative limit refers.
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

  /// True if the value violates the rule, where an event that never happened is infinitely late. False if nothing was
  /// measured.
  package var isBroken: Bool {
    guard isMeasured else { return false }
    return !rule.allows(value ?? .infinity, limit: limit ?? .infinity)
  }

  /// True if the value is a share from 0 to 1 rather than a time.
  package var isShare: Bool {
    switch rule.subject {
    case .missed, .failed: true
    case .gate, .ready, .step: false
    }
  }
}
