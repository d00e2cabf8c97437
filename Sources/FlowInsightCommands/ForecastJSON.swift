import FlowCLI
import FlowInsight
import FlowModel

/// A forecast as JSON. Times are in milliseconds, shares are from 0 to 1, and the time of an event that never happened
/// is null.
struct ForecastJSON {
  let forecast: Forecast
  let budgets: [BudgetResult]

  var value: Value {
    let model = forecast.model
    let steps = model.graph.workflow.steps
    var sources = ValueObject()
    var figures = ValueObject()
    for index in steps.indices {
      let step = StepIndex(index)
      sources[steps[index].id.text] = .string(model.source(of: step).rawValue)
      let lengths = forecast.lengths(of: step)
      var figure: ValueObject = [
        "criticality": .number(forecast.closeLook.criticality.isEmpty ? 0 : forecast.closeLook.criticality[index])
      ]
      for statistic in Self.statistics { figure[statistic.rawValue] = Self.number(lengths.value(statistic.share)) }
      figures[steps[index].id.text] = .object(figure)
    }
    return [
      "workflow": .string(model.graph.workflow.name), "runs": .integer(forecast.runs),
      "seed": .string(String(model.options.seed)), "sources": .object(sources),
      "gate": [
        "ready": Self.times(forecast.ready), "opened": Self.times(forecast.opened),
        "missed": .number(forecast.missed), "failed": .number(forecast.failed),
        "heldShare": .number(forecast.heldShare), "heldMilliseconds": .number(forecast.heldMilliseconds),
      ],
      "causes": .object(
        ValueObject(
          PathCause.allCases.compactMap { cause in
            forecast.closeLook.causes[cause].map { (cause.rawValue, .number($0)) }
          })),
      "steps": .object(figures), "suggestions": .array(suggestions), "conditions": .array(conditions),
      "unknownItems": .array(model.stepsWithUnknownItems.map { .string(steps[Int($0)].id.text) }),
      "budgets": .array(budgets.map(Self.value)),
    ]
  }

  private var suggestions: [Value] {
    let text = ForecastText(forecast: forecast, budgets: [], style: TextStyle(isColored: false))
    return forecast.suggestions.map { suggestion in
      [
        "change": .string(suggestion.change.rawValue),
        "step": .string(forecast.model.graph.workflow.steps[Int(suggestion.step)].id.text),
        "before": Self.milliseconds(suggestion.before), "after": Self.milliseconds(suggestion.after),
        "text": .string(text.sentence(suggestion)),
      ]
    }
  }

  private var conditions: [Value] {
    forecast.model.conditions.map { condition in
      [
        "step": .string(forecast.model.graph.workflow.steps[Int(condition.step)].id.text),
        "if": .string(condition.text), "decidedBy": .string(condition.source.rawValue),
      ]
    }
  }

  private static let statistics: [BudgetRule.Statistic] = [.p50, .p90, .p95, .p99, .max]

  static func times(_ quantiles: Quantiles) -> Value {
    var object = ValueObject()
    for statistic in statistics {
      object[statistic.rawValue] = milliseconds(quantiles.value(statistic.share))
    }
    return .object(object)
  }

  static func milliseconds(_ nanoseconds: Int?) -> Value {
    nanoseconds.map { .number(Double($0) / 1_000_000) } ?? .null
  }

  static func number(_ number: Double?) -> Value { number.map { $0.isFinite ? .number($0) : .null } ?? .null }

  static func value(_ budget: BudgetResult) -> Value {
    [
      "rule": .string(budget.rule.text), "value": number(budget.value), "limit": number(budget.limit),
      "broken": .boolean(budget.isBroken),
    ]
  }
}
