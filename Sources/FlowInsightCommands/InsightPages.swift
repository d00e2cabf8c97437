import FlowCLI
import FlowEngine
import FlowInsight
import FlowModel

/// Creates HTML pages with the same sentences as the text output of the subcommands.
package enum InsightPages {
  private static let plain = TextStyle(isColored: false)

  package static func page(_ forecast: Forecast, _ budgets: [BudgetResult]) -> InsightPage {
    let text = ForecastText(forecast: forecast, budgets: [], style: plain)
    return InsightPage(
      forecast, suggestions: forecast.suggestions.map(text.sentence), budgets: budgets, notes: text.notes)
  }

  /// Returns the page of one run. `stepPage` is the prefix of links to pages of steps, or nil if there are none.
  package static func page(_ analysis: RunAnalysis, _ budgets: [BudgetResult], stepPage: String? = nil) -> InsightPage {
    let names = analysis.run.course.shape.steps.map(\.id)
    let hasGate = analysis.run.course.hasGate
    let suggestions = analysis.suggestions.map { AnalysisText.sentence($0, names[Int($0.step)], hasGate: hasGate) }
    let notes = AnalysisText(analysis: analysis, budgets: [], style: plain).notes
    return InsightPage(
      analysis, suggestions: suggestions, budgets: budgets, notes: notes, stepPage: stepPage)
  }

  package static func page(_ report: RunReport) -> InsightPage { page(RunAnalysis(ReportedRun(report)), []) }

  /// Returns the page of a comparison of runs. `notes` are added to the notes of the comparison itself.
  package static func page(
    _ comparison: RunComparison, _ budgets: [BudgetResult], notes: [String] = []
  ) -> InsightPage {
    let text = ComparisonText(comparison: comparison, budgets: [], style: plain)
    func change(_ row: RunComparison.Row) -> InsightPage.Change {
      InsightPage.Change(name: row.name, before: row.before, after: row.after, verdict: text.verdict(of: row))
    }
    // Without a gate, the only time to compare is the time until everything has finished.
    let hasGate = comparison.after.runs[0].course.hasGate
    let gate = hasGate ? comparison.gate : comparison.gate.filter { $0.name == "ready" }
    let rows = gate.map { row in
      var row = change(row)
      if !hasGate { row.name = "finished" }
      return row
    }
    return InsightPage(
      comparison, gate: rows, steps: comparison.steps.map(change), budgets: budgets,
      notes: text.notes + notes)
  }

  package static func page(_ sample: RunSample, _ budgets: [BudgetResult]) -> InsightPage {
    let figures = SampleFigures(sample).steps.map { ($0.name, $0.criticality, $0.p50, $0.p95) }
    let notes = SampleText(sample: sample, budgets: [], style: plain).notes
    return InsightPage(sample, figures: figures, budgets: budgets, notes: notes)
  }
}
