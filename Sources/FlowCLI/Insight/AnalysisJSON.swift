import FlowInsight
import FlowModel

/// One launch explained, as JSON: times in milliseconds.
struct AnalysisJSON {
  let analysis: LaunchAnalysis
  let budgets: [BudgetResult]

  private func name(_ step: Int?) -> Value { step.map { .string(analysis.launch.course.shape.steps[$0].id) } ?? .null }

  var value: Value {
    let course = analysis.launch.course
    let sums = analysis.causes
    return [
      "workflow": .string(analysis.launch.workflow), "runId": .string(analysis.launch.run),
      "gate": [
        "outcome": course.outcome.map { .string($0.word) } ?? .null,
        "openedAt": ForecastJSON.milliseconds(course.openedAt), "readyAt": ForecastJSON.milliseconds(course.readyAt),
        "min": ForecastJSON.milliseconds(course.floor), "max": ForecastJSON.milliseconds(course.ceiling),
      ],
      "chain": .array(
        analysis.chain.map { link in
          [
            "step": name(link.step), "cause": .string(link.cause.rawValue),
            "start": ForecastJSON.milliseconds(link.start), "end": ForecastJSON.milliseconds(link.end),
          ]
        }),
      "causes": .object(
        ValueObject(
          ChainCause.allCases.compactMap { cause in
            sums[cause].map { (cause.rawValue, ForecastJSON.milliseconds($0)) }
          })),
      "slack": .object(
        ValueObject(
          analysis.slack.sorted { $0.key < $1.key }.map {
            (course.shape.steps[$0.key].id, ForecastJSON.milliseconds($0.value))
          })),
      "slackOfAll": .boolean(!analysis.isSlackPartial),
      "levers": .array(
        analysis.levers.map { lever in
          [
            "change": .string(lever.change.rawValue), "step": name(Int(lever.step)),
            "before": ForecastJSON.milliseconds(lever.before), "after": ForecastJSON.milliseconds(lever.after),
            "text": .string(AnalysisText.sentence(lever, course.shape.steps[Int(lever.step)].id)),
          ]
        }),
      "budgets": .array(budgets.map(ForecastJSON.value)),
    ]
  }
}
