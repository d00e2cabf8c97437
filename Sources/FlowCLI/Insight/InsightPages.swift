import FlowEngine
import FlowInsight
import FlowModel

/// Pages of what the verbs find out, with the sentences that they print.
enum InsightPages {
  private static let plain = TextStyle(isColored: false)

  /// The page of a forecast.
  static func page(_ forecast: Forecast, _ budgets: [BudgetResult]) -> String {
    let text = ForecastText(forecast: forecast, budgets: [], style: plain)
    return InsightPage(
      forecast, levers: forecast.levers.map(text.sentence), budgets: budgets, notes: text.notes
    ).html
  }

  /// The page of one launch.
  static func page(_ analysis: LaunchAnalysis, _ budgets: [BudgetResult]) -> String {
    let names = analysis.launch.course.shape.steps.map(\.id)
    let levers = analysis.levers.map { AnalysisText.sentence($0, names[Int($0.step)]) }
    let notes = AnalysisText(analysis: analysis, budgets: [], style: plain).notes
    return InsightPage(analysis, levers: levers, budgets: budgets, notes: notes).html
  }

  /// The page of a run that has just ended.
  static func page(_ report: RunReport) -> String {
    guard let launch = try? RecordedLaunch(.object(report.value)) else {
      preconditionFailure("a report cannot be read by who writes it")
    }
    return page(LaunchAnalysis(launch), [])
  }

  /// The page of launches beside others.
  static func page(_ comparison: LaunchComparison, _ budgets: [BudgetResult]) -> String {
    let text = ComparisonText(comparison: comparison, budgets: [], style: plain)
    func change(_ row: LaunchComparison.Row) -> InsightPage.Change {
      InsightPage.Change(name: row.name, before: row.before, after: row.after, verdict: text.verdict(of: row))
    }
    return InsightPage(
      comparison, gate: comparison.gate.map(change), steps: comparison.steps.map(change), budgets: budgets,
      notes: text.notes
    ).html
  }

  /// The page of several launches.
  static func page(_ sample: LaunchSample, _ budgets: [BudgetResult]) -> String {
    let figures = SampleFigures(sample).steps.map { ($0.name, $0.criticality, $0.p50, $0.p95) }
    let notes = SampleText(sample: sample, budgets: [], style: plain).notes
    return InsightPage(sample, figures: figures, budgets: budgets, notes: notes).html
  }
}
