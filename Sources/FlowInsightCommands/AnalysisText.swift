import FlowCLI
import FlowInsight
import FlowModel

/// Formats the analysis of one run as text.
struct AnalysisText {
  let analysis: RunAnalysis
  let budgets: [BudgetResult]
  let style: TextStyle

  private static let shownLinks = 60
  private static let shownSlack = 20

  private var course: RunCourse { analysis.run.course }
  private func name(_ step: Int?) -> String { step.map { course.shape.steps[$0].id } ?? "(nothing known)" }

  var text: String {
    var lines = [style.bold("\(analysis.run.workflow), run \(RunReference.short(analysis.run.id))"), gate, ""]
    lines += criticalPath + causes + slack + suggestions + resources
    if !notes.isEmpty { lines += [""] + notes.map { style.yellow("warning: \($0)") } }
    if !budgets.isEmpty { lines += ["", style.bold("budgets")] + BudgetText.lines(budgets, style) }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The note shown for a report that an older flowrun wrote without all data.
  static let oldReport = "the report was written by an older flowrun and lacks waits for events, queues and the gate"

  /// Notes about data that the analysis lacks.
  var notes: [String] { course.shape.knowsDependencies ? [] : [Self.oldReport] }

  private var gate: String {
    guard course.hasGate else {
      return course.readyAt.map { "everything had finished at \(ForecastText.time($0))" } ?? "not everything succeeded"
    }
    guard let opened = course.openedAt else { return "the gate never opened" }
    var text = "the gate opened at \(ForecastText.time(opened)), \(course.outcome?.word ?? "unknown")"
    if let ready = course.readyAt {
      text += "; everything was ready at \(ForecastText.time(ready))"
      if course.outcome == .ready, ready < min(opened, course.minimum) {
        text += ", the minimum held it \(ForecastText.time(opened - ready))"
      }
    }
    return text
  }

  private var criticalPath: [String] {
    let links = analysis.criticalPath
    guard !links.isEmpty else { return ["nothing was waited for"] }
    let shown = links.count > Self.shownLinks ? Array(links.suffix(Self.shownLinks)) : links
    let width = max(8, shown.map { name($0.step).count }.max() ?? 0) + 2
    var lines = [
      style.dim(
        "from".leftPadded(to: 10) + "took".leftPadded(to: 10) + "  " + "step".padded(to: width)
          + "spent on".padded(to: 12)
          + "slack")
    ]
    if shown.count < links.count { lines.append("… \(links.count - shown.count) stretches before") }
    for link in shown {
      let isRun = link.cause == .run
      let slack = isRun ? link.step.flatMap { analysis.slack[$0] }.map(Self.slackText) ?? "" : ""
      lines.append(
        ForecastText.time(link.start).leftPadded(to: 10) + ForecastText.time(link.length).leftPadded(to: 10) + "  "
          + name(link.step).padded(to: width) + link.cause.rawValue.padded(to: 12) + slack)
    }
    return lines
  }

  private static func slackText(_ slack: Int?) -> String { slack.map(ForecastText.time) ?? "any" }

  private var causes: [String] {
    let sums = analysis.causes
    let parts = PathCause.allCases.compactMap { cause in
      sums[cause].flatMap { $0 > 0 ? "\(cause.rawValue) \(ForecastText.time($0))" : nil }
    }
    guard !parts.isEmpty else { return [] }
    let whole = sums.values.reduce(0, +)
    return ["", "together \(ForecastText.time(whole)): " + parts.joined(separator: ", ")]
  }

  /// The lines about steps that are not on the critical path, the smallest slack first.
  private var slack: [String] {
    let onPath = Set(analysis.criticalPath.compactMap(\.step))
    let rows = analysis.slack.filter { !onPath.contains($0.key) }
      .sorted { ($0.value ?? .max, $0.key) < ($1.value ?? .max, $1.key) }
    guard !rows.isEmpty else { return [] }
    let shown = rows.prefix(Self.shownSlack)
    let width = max(8, shown.map { name($0.key).count }.max() ?? 0) + 2
    var lines = ["", style.bold("off the critical path (slack): how much longer a step could have taken")]
    lines += shown.map { "  " + name($0.key).padded(to: width) + Self.slackText($0.value) }
    if rows.count > shown.count { lines.append("  … and \(rows.count - shown.count) more, with more slack") }
    if analysis.isSlackPartial { lines.append("  (the longest steps alone: there are too many to try them all)") }
    return lines
  }

  private var suggestions: [String] {
    guard !analysis.suggestions.isEmpty else { return [] }
    return ["", style.bold("suggestions")]
      + analysis.suggestions.map { "  " + Self.sentence($0, name(Int($0.step)), hasGate: course.hasGate) }
  }

  /// The lines about steps that requested too much or too little from a cluster.
  private var resources: [String] {
    var lines = analysis.resources.map { "  " + $0.text }
    if let problem = analysis.run.accountingProblem { lines.append("  not measured: \(problem)") }
    return lines.isEmpty ? [] : ["", style.bold("resources")] + lines
  }

  /// Returns a suggestion as a sentence with the times before and after the change.
  static func sentence(_ suggestion: Suggestion, _ id: String, hasGate: Bool) -> String {
    let change = suggestion.change == .faster ? "'\(id)' 10 % faster" : "'\(id)' deferred"
    let times = [suggestion.before, suggestion.after].map { $0.map(ForecastText.time) ?? "never" }
    return "\(change): \(hasGate ? "ready" : "finished") \(times[0]) → \(times[1])"
  }
}
