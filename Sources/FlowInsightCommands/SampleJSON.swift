import FlowCLI
import FlowInsight
import FlowModel

/// Statistics of several runs as JSON. Times are in milliseconds, shares are from 0 to 1.
struct SampleJSON {
  let sample: RunSample
  let budgets: [BudgetResult]

  var value: Value {
    let figures = SampleFigures(sample)
    return [
      "workflow": .string(sample.runs[0].workflow), "runs": .integer(sample.runs.count),
      "gate": [
        "ready": ForecastJSON.times(sample.ready), "opened": ForecastJSON.times(sample.opened),
        "missed": .number(sample.missed), "failed": .number(sample.failed),
      ],
      "causes": .object(
        ValueObject(
          PathCause.allCases.compactMap { cause in figures.causes[cause].map { (cause.rawValue, .number($0)) } })),
      "steps": .object(
        ValueObject(
          figures.steps.map { step in
            (
              step.name,
              [
                "criticality": .number(step.criticality), "p50": ForecastJSON.number(step.p50),
                "p95": ForecastJSON.number(step.p95),
              ]
            )
          })),
      "budgets": .array(budgets.map(ForecastJSON.value)),
    ]
  }
}
