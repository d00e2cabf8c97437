import FlowCLI
import FlowInsight
import FlowModel

/// The analysis of one run as JSON. Times are in milliseconds.
struct AnalysisJSON {
  let analysis: RunAnalysis
  let budgets: [BudgetResult]

  private func name(_ step: Int?) -> Value { step.map { .string(analysis.run.course.shape.steps[$0].id) } ?? .null }

  var value: Value {
    let course = analysis.run.course
    let sums = analysis.causes
    return [
      "workflow": .string(analysis.run.workflow), "runId": .string(analysis.run.id),
      "gate": [
        "outcome": course.outcome.map { .string($0.word) } ?? .null,
        "openedAt": ForecastJSON.milliseconds(course.openedAt), "readyAt": ForecastJSON.milliseconds(course.readyAt),
        "min": ForecastJSON.milliseconds(course.minimum), "max": ForecastJSON.milliseconds(course.maximum),
      ],
      "criticalPath": .array(
        analysis.criticalPath.map { link in
          [
            "step": name(link.step), "cause": .string(link.cause.rawValue),
            "start": ForecastJSON.milliseconds(link.start), "end": ForecastJSON.milliseconds(link.end),
          ]
        }),
      "causes": .object(
        ValueObject(
          PathCause.allCases.compactMap { cause in
            sums[cause].map { (cause.rawValue, ForecastJSON.milliseconds($0)) }
          })),
      "slack": .object(
        ValueObject(
          analysis.slack.sorted { $0.key < $1.key }.map {
            (course.shape.steps[$0.key].id, ForecastJSON.milliseconds($0.value))
          })),
      "slackOfAll": .boolean(!analysis.isSlackPartial),
      "suggestions": .array(
        analysis.suggestions.map { suggestion in
          [
            "change": .string(suggestion.change.rawValue), "step": name(Int(suggestion.step)),
            "before": ForecastJSON.milliseconds(suggestion.before),
            "after": ForecastJSON.milliseconds(suggestion.after),
            "text": .string(
              AnalysisText.sentence(
                suggestion, course.shape.steps[Int(suggestion.step)].id, hasGate: course.hasGate)),
          ]
        }),
      "resources": .array(
        analysis.resources.map { advice in
          [
            "step": .string(advice.step.text), "resource": .string(advice.resource.rawValue),
            "verdict": .string(advice.verdict.rawValue), "requested": .integer(advice.requested),
            "used": .integer(advice.used), "proposed": .integer(advice.proposed), "jobs": .integer(advice.jobs),
            "failed": .integer(advice.failed), "text": .string(advice.text),
          ]
        }),
      "budgets": .array(budgets.map(ForecastJSON.value)),
    ]
  }
}
