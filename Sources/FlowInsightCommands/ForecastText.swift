import FlowCLI
import FlowEngine
import FlowInsight
import FlowModel

/// Formats a forecast as text.
struct ForecastText {
  let forecast: Forecast
  let budgets: [BudgetResult]
  let style: TextStyle

  private var workflow: Workflow { forecast.model.graph.workflow }

  private static let shownSteps = 12

  var text: String {
    var lines = [
      style.bold("\(workflow.name): \(forecast.runs.counted("run")), seed \(forecast.model.options.seed)"), "",
    ]
    lines += FigureTable.times(forecast, style) + shares + steps + suggestions
    if !conditions.isEmpty { lines += ["", style.bold(Self.conditionsTitle)] + conditions.map { "  " + $0 } }
    if !warnings.isEmpty { lines += [""] + warnings.map { style.yellow("warning: \($0)") } }
    if !budgets.isEmpty { lines += ["", style.bold("budgets")] + BudgetText.lines(budgets, style) }
    return lines.joined(separator: "\n") + "\n"
  }

  private var shares: [String] {
    let isReady = 1 - forecast.missed - forecast.failed
    var lines = [
      "the gate: ready \(BudgetText.share(isReady)), timed out \(BudgetText.share(forecast.missed)), failed "
        + BudgetText.share(forecast.failed)
    ]
    if forecast.heldShare > 0 {
      lines.append(
        "the minimum delays \(BudgetText.share(forecast.heldShare)) of the runs, "
          + "\(Milliseconds.text(forecast.heldMilliseconds)) on average")
    }
    if let maximum = forecast.model.stage.resolution.gate.maximumNanoseconds, let p95 = forecast.ready.value(0.95) {
      let margin = maximum - p95
      if margin >= 0 { lines.append("margin from P95 of ready to the maximum: \(Self.time(margin))") }
    }
    let causes = PathCause.allCases.compactMap { cause in
      forecast.closeLook.causes[cause].flatMap { $0 > 0 ? "\(cause.rawValue) \(BudgetText.share($0))" : nil }
    }
    if !causes.isEmpty { lines.append("the critical path to the gate: " + causes.joined(separator: ", ")) }
    return [""] + lines
  }

  private var steps: [String] {
    let look = forecast.closeLook
    let critical = look.criticality.indices.filter { look.criticality[$0] > 0 }
      .sorted { (look.timeShare[$0], $1) > (look.timeShare[$1], $0) }
    guard !critical.isEmpty else { return [] }
    let shown = critical.prefix(Self.shownSteps)
    let width = max(24, shown.map { workflow.steps[$0].id.text.count }.max() ?? 0) + 2
    var lines = [
      "",
      style.dim(
        "on the critical path".padded(to: width) + "how often".leftPadded(to: 10) + "of the way".leftPadded(to: 12)
          + "P50".leftPadded(to: 10) + "P95".leftPadded(to: 10)),
    ]
    for index in shown {
      let lengths = forecast.lengths(of: StepIndex(index))
      let times = [0.5, 0.95].map { lengths.value($0).map(Milliseconds.text) ?? "-" }
      lines.append(
        workflow.steps[index].id.text.padded(to: width) + BudgetText.share(look.criticality[index]).leftPadded(to: 10)
          + BudgetText.share(look.timeShare[index]).leftPadded(to: 12) + times[0].leftPadded(to: 10)
          + times[1].leftPadded(to: 10))
    }
    if critical.count > shown.count { lines.append("… and \(critical.count - shown.count) more") }
    return lines
  }

  private var suggestions: [String] {
    forecast.suggestions.isEmpty
      ? []
      : ["", style.bold("suggestions, from \(forecast.closeLook.runs) of the runs")]
        + forecast.suggestions.map { "  " + sentence($0) }
  }

  /// Describes a suggestion and its effect.
  func sentence(_ suggestion: Suggestion) -> String {
    let id = workflow.steps[Int(suggestion.step)].id.text
    let change =
      switch suggestion.change {
      case .faster: "make '\(id)' 10 % faster"
      case .defer: "defer '\(id)'"
      case .drop: "drop '\(id)'"
      }
    let times = [suggestion.before, suggestion.after].map { $0.map(Self.time) ?? "never" }
    let note = suggestion.change == .faster ? "" : "; safe: nothing before the gate reads it"
    let word = GateRule.hasGate(workflow) ? "ready" : "finished"
    return "\(change): P95 of \(word) \(times[0]) → \(times[1])\(note)"
  }

  private static let conditionsTitle = "conditions that read outputs, which a forecast does not have"

  /// The warnings of the forecast, and its assumptions about conditions.
  var notes: [String] { warnings + conditions.map { "condition of " + $0 } }

  private var conditions: [String] {
    forecast.model.conditions.map { condition in
      let source =
        switch condition.source {
        case .recorded: "as recorded"
        case .assumed: "as assumed"
        case .null: "the outputs count as null"
        }
      return "\(workflow.steps[Int(condition.step)].id.text): \(condition.text) (\(source))"
    }
  }

  private var warnings: [String] {
    var lines: [String] = []
    let nothing = forecast.stepsThatRestOnNothing.map { workflow.steps[Int($0)].id.text }
    if !nothing.isEmpty {
      let shown = nothing.prefix(20).joined(separator: ", ") + (nothing.count > 20 ? ", …" : "")
      let hasNoRuns = forecast.model.options.recordedRuns.isEmpty
      let what = hasNoRuns ? "no estimate" : "neither a record nor an estimate"
      let remedy = hasNoRuns ? "; write 'estimate', or take the times of recorded runs with '--from .'" : ""
      lines.append(
        "\(nothing.count) of \(workflow.steps.count.counted("step")) \(nothing.count == 1 ? "has" : "have") \(what) and "
          + "\(nothing.count == 1 ? "is" : "are") assumed to take no time: \(shown)\(remedy)")
    }
    let runs = forecast.model.options.recordedRuns.count
    if runs > 0, runs < SampleFigures.fewRuns {
      lines.append(
        "it is drawn from \(runs.counted("run")), too few for a reliable P95")
    }
    for step in forecast.model.stepsWithUnknownItems {
      let id = workflow.steps[Int(step)].id.text
      lines.append(
        "the number of items of '\(id)' is unknown; the simulation uses one: --assume steps.\(id).items=COUNT")
    }
    return lines
  }

  static func time(_ nanoseconds: Int) -> String { Milliseconds.text(Double(nanoseconds) / 1_000_000) }
}
