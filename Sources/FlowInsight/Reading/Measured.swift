import FlowEngine
import FlowModel

/// What budgets are held against: runs that were forecast, or that went.
package protocol MeasuredRuns {
  /// The value of a budget's subject, in milliseconds or as a share; nil: it never happened. It is not measured where
  /// nothing of the kind was seen.
  func value(of subject: BudgetRule.Subject) -> (value: Double?, isMeasured: Bool)
}

extension MeasuredRuns {
  /// Holds rules against the runs, and those with a `baseline` against what it was before.
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

/// Runs that are known one by one.
package protocol CountedRuns: MeasuredRuns {
  /// When everything was ready, without the minimum.
  var ready: Quantiles { get }
  /// When the gate opened.
  var opened: Quantiles { get }
  /// The share of runs whose gate timed out.
  var missed: Double { get }
  /// The share of runs whose gate failed.
  var failed: Double { get }
  /// How long a step took where it ran; nil: there is no such step.
  func lengths(ofStepNamed id: String) -> LengthQuantiles?
}

extension CountedRuns {
  /// The value of a budget's subject.
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
  /// How long a step takes where it runs; nil: there is no such step.
  package func lengths(ofStepNamed id: String) -> LengthQuantiles? {
    model.graph.workflow.steps.firstIndex { $0.id.text == id }.map { lengths(of: StepIndex($0)) }
  }
}

/// Runs that went, together.
package struct RunSample: CountedRuns, Sendable {
  /// The runs.
  package let runs: [ReportedRun]
  /// When everything was ready, without the minimum.
  package let ready: Quantiles
  /// When the gate opened.
  package let opened: Quantiles

  /// A sample of runs.
  package init(_ runs: [ReportedRun]) {
    self.runs = runs
    ready = Quantiles(runs.map { $0.course.readyAt ?? .max })
    opened = Quantiles(runs.map { $0.course.openedAt ?? .max })
  }

  /// The share of runs whose gate timed out.
  package var missed: Double { share { $0.course.outcome == .timedOut } }
  /// The share of runs whose gate failed.
  package var failed: Double { share { $0.course.outcome == .failed } }

  private func share(_ holds: (ReportedRun) -> Bool) -> Double {
    runs.isEmpty ? 0 : Double(runs.count(where: holds)) / Double(runs.count)
  }

  /// The steps of all runs, in the order of the first that has them.
  package var stepNames: [String] {
    var seen: Set<String> = []
    return runs.flatMap { $0.course.shape.steps.map(\.id) }.filter { seen.insert($0).inserted }
  }

  /// How long a step took in each run in which it ran, in milliseconds; nil: no run has such a step.
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

  /// How long a step took where it ran; nil: no run has such a step.
  package func lengths(ofStepNamed id: String) -> LengthQuantiles? {
    times(ofStepNamed: id).map {
      LengthQuantiles($0.map { PackedLength(nanoseconds: Int(($0 * 1_000_000).rounded())) })
    }
  }
}
