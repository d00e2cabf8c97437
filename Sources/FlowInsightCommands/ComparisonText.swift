import FlowCLI
import FlowInsight
import FlowModel

/// A comparison of two sets of runs as text.
struct ComparisonText {
  let comparison: RunComparison
  let budgets: [BudgetResult]
  let style: TextStyle

  private static let shownSteps = 20

  var text: String {
    let (before, after) = (comparison.before.runs.count, comparison.after.runs.count)
    let title = "\(comparison.after.runs[0].workflow): \(before.counted("run")) before, \(after) now"
    var lines = [style.bold(title), ""]
    let shown = comparison.steps.filter { $0.difference != 0 }.prefix(Self.shownSteps)
    let width = max(8, (comparison.gate + shown).map(\.name.count).max() ?? 0) + 2
    lines.append(
      style.dim(
        "median".padded(to: width) + "before".leftPadded(to: 10) + "now".leftPadded(to: 10)
          + "change".leftPadded(to: 11)
          + "  95 % of samples"))
    lines += comparison.gate.map { row($0, width) } + shown.map { row($0, width) }
    let rest = comparison.steps.count - shown.count
    if rest > 0 {
      lines.append(shown.isEmpty ? "no step changed" : "\(rest.counted("more step")) changed less, or not at all")
    }
    if !comparison.criticalPath.isEmpty {
      lines += ["", style.bold("on the critical path")]
      lines += comparison.criticalPath.prefix(Self.shownSteps).map {
        "  " + $0.name.padded(to: width) + "\(BudgetText.share($0.before)) → \(BudgetText.share($0.after))"
      }
    }
    if !notes.isEmpty { lines += [""] + notes.map { style.yellow("warning: \($0)") } }
    if !budgets.isEmpty { lines += ["", style.bold("budgets")] + BudgetText.lines(budgets, style) }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The note that there are too few runs, if that is the case.
  var notes: [String] {
    let least = min(comparison.before.runs.count, comparison.after.runs.count)
    guard least < Bootstrap.leastCount else { return [] }
    return ["too few runs to judge: each side needs at least \(Bootstrap.leastCount)"]
  }

  private func row(_ row: RunComparison.Row, _ width: Int) -> String {
    func time(_ milliseconds: Double?) -> String { (milliseconds.map(Milliseconds.text) ?? "-").leftPadded(to: 10) }
    var line = row.name.padded(to: width) + time(row.before) + time(row.after)
    if row.difference != nil { line += change(row.difference).leftPadded(to: 11) }
    line += "  " + verdict(of: row)
    return row.verdict == .faster ? style.green(line) : row.verdict == .slower ? style.red(line) : line
  }

  func verdict(of row: RunComparison.Row) -> String {
    switch row.verdict {
    case .onlyBefore: "only before"
    case .onlyAfter: "only now"
    case .tooFew: "too few runs to tell"
    case .noise: "within the noise" + interval(row)
    case .faster: "faster" + interval(row)
    case .slower: "slower" + interval(row)
    }
  }

  private func interval(_ row: RunComparison.Row) -> String {
    row.interval.map { ": \(change($0.lowerBound)) to \(change($0.upperBound))" } ?? ""
  }

  private func change(_ milliseconds: Double?) -> String {
    guard let milliseconds else { return "-" }
    return (milliseconds > 0 ? "+" : "") + Milliseconds.text(milliseconds)
  }
}

/// A comparison of two sets of runs as JSON. Times are in milliseconds.
struct ComparisonJSON {
  let comparison: RunComparison
  let budgets: [BudgetResult]

  var value: Value {
    [
      "workflow": .string(comparison.after.runs[0].workflow),
      "runs": [
        "before": .integer(comparison.before.runs.count), "after": .integer(comparison.after.runs.count),
      ],
      "gate": .object(ValueObject(comparison.gate.map { ($0.name, Self.value($0)) })),
      "steps": .object(ValueObject(comparison.steps.map { ($0.name, Self.value($0)) })),
      "criticalPath": .object(
        ValueObject(
          comparison.criticalPath.map { ($0.name, ["before": .number($0.before), "after": .number($0.after)]) })),
      "budgets": .array(budgets.map(ForecastJSON.value)),
    ]
  }

  private static func value(_ row: RunComparison.Row) -> Value {
    [
      "before": ForecastJSON.number(row.before), "after": ForecastJSON.number(row.after),
      "difference": ForecastJSON.number(row.difference), "low": ForecastJSON.number(row.interval?.lowerBound),
      "high": ForecastJSON.number(row.interval?.upperBound), "verdict": .string(row.verdict.rawValue),
    ]
  }
}
