import FlowModel

/// A forecast as written by `simulate --format json`.
package struct ForecastRecord: MeasuredRuns, Sendable {
  package let workflow: String
  package let runs: Int
  /// The ids of the steps in file order.
  package let stepNames: [String]
  private let gate: ValueObject
  private let steps: ValueObject

  /// Reads a forecast from JSON. Returns nil if the value is not a forecast.
  package init?(_ value: Value) {
    guard let object = value.objectValue, object["seed"] != nil, let workflow = object["workflow"]?.stringValue,
      let runs = object["runs"]?.integerValue, let gate = object["gate"]?.objectValue,
      let steps = object["steps"]?.objectValue
    else { return nil }
    self.workflow = workflow
    self.runs = runs
    self.gate = gate
    self.steps = steps
    stepNames = steps.keys
  }

  /// Returns the share of runs in which a step was on the critical path, or nil if there is no such step.
  package func criticality(ofStepNamed id: String) -> Double? {
    steps[id]?.objectValue?["criticality"]?.numberValue
  }

  /// Returns the measured value for a budget, in milliseconds or as a share. `isMeasured` is false if the step never
  /// ran.
  package func value(of subject: BudgetRule.Subject) -> (value: Double?, isMeasured: Bool) {
    func time(_ values: Value?, _ statistic: BudgetRule.Statistic) -> Double? {
      values?.objectValue?[statistic == .median ? BudgetRule.Statistic.p50.rawValue : statistic.rawValue]?.numberValue
    }
    switch subject {
    case .gate(let statistic): return (time(gate["opened"], statistic), true)
    case .ready(let statistic): return (time(gate["ready"], statistic), true)
    case .missed: return (gate["missed"]?.numberValue, true)
    case .failed: return (gate["failed"]?.numberValue, true)
    case .step(let id, let statistic):
      let found = time(steps[id.text], statistic)
      return (found, found != nil)
    }
  }
}
