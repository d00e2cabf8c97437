import FlowCLI
import FlowInsight
import FlowModel

/// A comparison of two forecasts. With the same seed, both use the same random draws, so a difference is not due to
/// chance.
struct ForecastComparison {
  /// The values of one measure in both forecasts, in milliseconds.
  private struct Row {
    var name: String
    var before: Double?
    var after: Double?
    var difference: Double? { before.flatMap { before in after.map { $0 - before } } }
  }

  let before: ForecastRecord
  let after: ForecastRecord
  let budgets: [BudgetResult]

  private static let shownSteps = 20

  private var gate: [Row] {
    let subjects: [(String, BudgetRule.Subject)] = [
      ("ready, P50", .ready(.p50)), ("ready, P95", .ready(.p95)), ("opened, P50", .gate(.p50)),
      ("opened, P95", .gate(.p95)),
    ]
    return subjects.map { row($0.0, $0.1) }
  }

  var page: String {
    func change(_ row: Row) -> InsightPage.Change {
      let verdict = row.difference.map { $0 == 0 ? "the same" : $0 < 0 ? "faster" : "slower" }
      return InsightPage.Change(
        name: row.name, before: row.before, after: row.after, verdict: verdict ?? "on one side only")
    }
    return InsightPage(before, after, gate: gate.map(change), steps: steps.map(change), budgets: budgets).html
  }

  private var steps: [Row] {
    var seen: Set<String> = []
    return (before.stepNames + after.stepNames).filter { seen.insert($0).inserted }
      .map { row($0, .step(StepID(unchecked: $0), .p50)) }
      .filter { ($0.before != nil || $0.after != nil) && $0.difference != 0 }
      .sorted { (abs($0.difference ?? .infinity), $1.name) > (abs($1.difference ?? .infinity), $0.name) }
  }

  private func row(_ name: String, _ subject: BudgetRule.Subject) -> Row {
    Row(name: name, before: before.value(of: subject).value, after: after.value(of: subject).value)
  }

  func text(_ style: TextStyle) -> String {
    let rows = gate + steps.prefix(Self.shownSteps)
    let width = max(8, rows.map(\.name.count).max() ?? 0) + 2
    func time(_ milliseconds: Double?) -> String { (milliseconds.map(Milliseconds.text) ?? "never").leftPadded(to: 10) }
    var lines = [
      style.bold("\(after.workflow): a forecast of \(before.runs.counted("run")) before, of \(after.runs) now"), "",
      style.dim(
        "".padded(to: width) + "before".leftPadded(to: 10) + "now".leftPadded(to: 10) + "change".leftPadded(to: 11)),
    ]
    lines += rows.map { row in
      let change = row.difference.map { ($0 > 0 ? "+" : "") + Milliseconds.text($0) } ?? "-"
      return row.name.padded(to: width) + time(row.before) + time(row.after) + change.leftPadded(to: 11)
    }
    if !budgets.isEmpty { lines += ["", style.bold("budgets")] + BudgetText.lines(budgets, style) }
    return lines.joined(separator: "\n") + "\n"
  }

  var value: Value {
    func object(_ rows: [Row]) -> Value {
      .object(
        ValueObject(
          rows.map { row in
            (
              row.name,
              [
                "before": ForecastJSON.number(row.before), "after": ForecastJSON.number(row.after),
                "difference": ForecastJSON.number(row.difference),
              ]
            )
          }))
    }
    return [
      "workflow": .string(after.workflow),
      "runs": ["before": .integer(before.runs), "after": .integer(after.runs)],
      "gate": object(gate), "steps": object(steps), "budgets": .array(budgets.map(ForecastJSON.value)),
    ]
  }
}
