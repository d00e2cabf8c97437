import FlowEngine
import FlowModel

/// Simulated or recorded runs that budgets are checked against.
package protocol MeasuredRuns {
  /// Returns the measured value for a budget, in milliseconds or as a share, or nil if the event never happened.
  /// `isMeasured` is false if no run executed the step.
  func value(of subject: BudgetRule.Subject) -> (value: Double?, isMeasured: Bool)
}

extension MeasuredRuns {
  /// Checks rules against the runs. Rules that refer to a baseline use the values of `baseline`.
  package func check(_ rules: [BudgetRule], baseline: (any MeasuredRuns)? = nil) -> [BudgetResult] {
    rules.map { rule in
      let found = value(of: rule.subject)
      let before = baseline?.value(of: rule.subject)
      return BudgetResult(
        rule, value: found.value, isMeasured: found.isMeasured && (!rule.readsBaseline || before?.isMeasured ?? false),
        baseline: before?.value)
    }
  }
}

/// Runs whose individual times are known.
package protocol CountedRuns: MeasuredRuns {
  /// The distribution of the time until everything was ready, ignoring the gate's minimum.
  var ready: Quantiles { get }
  /// The distribution of the time until the gate opened.
  var opened: Quantiles { get }
  /// The share of runs whose gate timed out.
  var missed: Double { get }
  /// The share of runs whose gate failed.
  var failed: Double { get }
  /// Returns the distribution of a step's duration in the runs that executed it, or nil if no run has such a step.
  func lengths(ofStepNamed id: String) -> LengthQuantiles?
}

extension CountedRuns {
  /// Returns the quantile or share that the budget limits.
  package func value(of subject: BudgetRule.Subject) -> (value: Double?, isMeasured: Bool) {
    func milliseconds(_ nanoseconds: Int?) -> Double? { nanoseconds.map { Double($0) / 1_000_000 } }
    switch subject {
    case .gate(let statistic): return (milliseconds(opened.value(statistic.share)), true)
    case .ready(let statistic): return (milliseconds(ready.value(statistic.share)), true)
    case .missed: return (missed, true)
    case .failed: return (failed, true)
    case .step(let id, let statistic):
      let lengths = lengths(ofStepNamed: id.text)
      return (lengths?.value(statistic.share), lengths.map { $0.count > 0 } ?? false)
    }
  }
}

extension Forecast: CountedRuns {
  package func lengths(ofStepNamed id: String) -> LengthQuantiles? {
    model.graph.workflow.steps.firstIndex { $0.id.text == id }.map { lengths(of: StepIndex($0)) }
  }
}

/// A set of recorded runs that are evaluated together.
package struct RunSample: CountedRuns, Sendable {
  package let runs: [ReportedRun]
  package let ready: Quantiles
  package let opened: Quantiles

  package init(_ runs: [ReportedRun]) {
    self.runs = runs
    ready = Quantiles(runs.map { $0.course.readyAt ?? .max })
    opened = Quantiles(runs.map { $0.course.openedAt ?? .max })
  }

  package var missed: Double { share { $0.course.outcome == .timedOut } }
  package var failed: Double { share { $0.course.outcome == .failed } }

  private func share(_ holds: (ReportedRun) -> Bool) -> Double {
    runs.isEmpty ? 0 : Double(runs.count(where: holds)) / Double(runs.count)
  }

  /// The ids of the steps of all runs, in the order of their first appearance.
  package var stepNames: [String] {
    var seen: Set<String> = []
    return runs.flatMap { $0.course.shape.steps.map(\.id) }.filter { seen.insert($0).inserted }
  }

  /// Returns the durations of a step in milliseconds in the runs that executed it, or nil if no run has such a step.
  package func times(ofStepNamed id: String) -> [Double]? {
    var isKnown = false
    let times = runs.compactMap { run -> Double? in
      guard let index = run.course.shape.steps.firstIndex(where: { $0.id == id }) else { return nil }
      isKnown = true
      let step = run.course.steps[index]
      guard let started = step.startedAt, let ended = step.endedAt else { return nil }
      return Double(max(0, ended - started)) / 1_000_000
    }
    return isKnown ? times : nil
  }

  package func lengths(ofStepNamed id: String) -> LengthQuantiles? {
    times(ofStepNamed: id).map {
      LengthQuantiles($0.map { PackedLength(nanoseconds: Int(($0 * 1_000_000).rounded())) })
    }
  }
}
