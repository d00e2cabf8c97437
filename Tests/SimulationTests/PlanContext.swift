import FlowEngine
import FlowExpressions
import FlowModel
import FlowTestKit

/// What the expressions of a scenario see when the engine's own evaluator reads them.
struct PlanContext: ExpressionContext {
  let scenario: Scenario
  /// The plan and the step whose `if` is read; nil: an expression that is evaluated at activation.
  var asker: (plan: Plan, step: StepIndex)?

  func value(named name: String) -> Value? {
    switch name {
    case "inputs": .object(scenario.inputs)
    case "launch":
      .object([
        "reason": .string(scenario.launch.reason.rawValue), "options": .object(scenario.launch.options),
        "first": .boolean(scenario.launch.isFirst),
      ])
    case "gate": .object(["outcome": asker?.plan.gate.outcome.map { .string($0.word) } ?? .null])
    default: nil
    }
  }

  func status(_ function: StatusFunction) -> Bool {
    guard let asker else { return function == .always }
    let status = asker.plan.status(of: asker.step)
    return switch function {
    case .success: status.contains(.success)
    case .failure: status.contains(.failure)
    case .cancelled: status.contains(.cancelled)
    case .always: status.contains(.always)
    }
  }
}
