import FlowCLI
import FlowInsight
import FlowModel

/// Formats statistics of several runs as text.
struct SampleText {
  let sample: RunSample
  let budgets: [BudgetResult]
  let style: TextStyle
  /// The launch of the runs, which is shown only if there are several groups.
  var launch: String?

  private static let shownSteps = 30

  var text: String {
    let title = "\(sample.runs[0].workflow): \(sample.runs.count.counted("run"))"
    var lines = [style.bold(title + (launch.map { ", launched by \($0)" } ?? "")), ""]
    lines += FigureTable.times(sample, style)
    lines += [
      "",
      "the gate: timed out \(BudgetText.share(sample.missed)), failed \(BudgetText.share(sample.failed))",
    ]
    let figures = SampleFigures(sample)
    let causes = PathCause.allCases.compactMap { cause in
      figures.causes[cause].flatMap { $0 > 0 ? "\(cause.rawValue) \(BudgetText.share($0))" : nil }
    }
    if !causes.isEmpty { lines.append("the critical path to the gate: " + causes.joined(separator: ", ")) }
    lines += steps(figures)
    if !notes.isEmpty { lines += [""] + notes.map { style.yellow("warning: \($0)") } }
    if !budgets.isEmpty { lines += ["", style.bold("budgets")] + BudgetText.lines(budgets, style) }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Notes about the reliability of the statistics.
  var notes: [String] {
    let count = sample.runs.count
    var notes: [String] = []
    if count < SampleFigures.fewRuns {
      notes.append("\(count.counted("run")) \(count == 1 ? "is" : "are") too few for a reliable P95")
    }
    if sample.runs.contains(where: { !$0.course.shape.knowsDependencies }) { notes.append(AnalysisText.oldReport) }
    return notes
  }

  private func steps(_ figures: SampleFigures) -> [String] {
    let rows = figures.steps.filter { $0.criticality > 0 }
    guard !rows.isEmpty else { return [] }
    let shown = rows.prefix(Self.shownSteps)
    let width = max(24, shown.map(\.name.count).max() ?? 0) + 2
    var lines = [
      "",
      style.dim(
        "on the critical path".padded(to: width) + "how often".leftPadded(to: 10) + "P50".leftPadded(to: 10)
          + "P95".leftPadded(to: 10)),
    ]
    lines += shown.map { row in
      row.name.padded(to: width) + BudgetText.share(row.criticality).leftPadded(to: 10)
        + (row.p50.map(Milliseconds.text) ?? "-").leftPadded(to: 10)
        + (row.p95.map(Milliseconds.text) ?? "-").leftPadded(to: 10)
    }
    if rows.count > shown.count { lines.append("… and \(rows.count - shown.count) more") }
    return lines
  }
}

enum FigureTable {
  static func times(_ runs: some CountedRuns, _ style: TextStyle) -> [String] {
    let statistics: [BudgetRule.Statistic] = [.p50, .p90, .p95, .p99, .max]
    func row(_ name: String, _ cells: [String]) -> String {
      name.padded(to: 8) + cells.map { $0.leftPadded(to: 10) }.joined()
    }
    func row(_ name: String, _ quantiles: Quantiles) -> String {
      row(name, statistics.map { quantiles.value($0.share).map(ForecastText.time) ?? "never" })
    }
    let names = statistics.map { $0 == .max ? "max" : $0.rawValue.uppercased() }
    return [style.dim(row("", names)), row("ready", runs.ready), row("opened", runs.opened)]
  }
}

/// Statistics about the steps of several runs, for text and JSON output.
struct SampleFigures {
  struct Step {
    var name: String
    var criticality: Double
    var p50: Double?
    var p95: Double?
  }

  /// The number of runs below which the 95th percentile is not reliable.
  static let fewRuns = 20

  /// The steps, sorted by the share of runs in which they are on the critical path.
  let steps: [Step]
  /// The share of the critical path's time by cause.
  let causes: [PathCause: Double]

  init(_ sample: RunSample) {
    var counts: [String: Int] = [:]
    var sums: [PathCause: Int] = [:]
    for run in sample.runs {
      let criticalPath = run.criticalPath
      for step in Set(criticalPath.compactMap(\.step)) { counts[run.course.shape.steps[step].id, default: 0] += 1 }
      for link in criticalPath { sums[link.cause, default: 0] += link.length }
    }
    let whole = Double(max(1, sums.values.reduce(0, +)))
    causes = sums.mapValues { Double($0) / whole }
    let rows = sample.stepNames.map { name in
      let lengths = sample.lengths(ofStepNamed: name)
      return Step(
        name: name, criticality: Double(counts[name] ?? 0) / Double(max(1, sample.runs.count)),
        p50: lengths?.value(0.5), p95: lengths?.value(0.95))
    }
    steps = rows.enumerated().sorted { ($0.element.criticality, $1.offset) > ($1.element.criticality, $0.offset) }.map(
      \.element)
  }
}
