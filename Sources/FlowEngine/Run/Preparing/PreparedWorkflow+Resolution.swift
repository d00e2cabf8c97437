import FlowExpressions
import FlowModel

// Some expressions are evaluated at activation, in real and in simulated runs.
extension PreparedWorkflow {
  /// Evaluates `enabled`, `defer` and the gate's bounds. Throws if one of them cannot be evaluated, the minimum exceeds
  /// the maximum, or a step that is declared as blocking is deferred.
  func resolution(in scope: some ExpressionContext) throws(PreparationProblem) -> Resolution {
    let steps = graph.workflow.steps
    var resolution = Resolution(literalsOf: graph)
    for index in graph.steps(stating: .preparation) {
      guard let detail = detail(of: index) else { continue }
      let id = steps[Int(index)].id
      if let enabled = detail.enabled, try !Self.isTrue(enabled, "enabled", id, scope) {
        resolution.disabled.insert(index)
      }
      if let deferral = detail.deferral, try Self.isTrue(deferral, "defer", id, scope) {
        resolution.deferred.insert(index)
      }
    }
    if let step = GateRoles(graph, answers: resolution.deferred).contradiction {
      throw PreparationProblem(
        step: steps[Int(step)].id,
        message: "is blocking but deferred in this run; write 'blocking: false', or do not defer its dependencies")
    }
    resolution.gate = try gateBounds(in: scope)
    return resolution
  }

  /// True if no expression must be evaluated at activation.
  var isLiteralAtActivation: Bool {
    if case .template = gateMin { return false }
    if case .template = gateMax { return false }
    return environment.literal != nil && details.allSatisfy { $0.enabled == nil && $0.deferral == nil }
  }

  private func gateBounds(in scope: some ExpressionContext) throws(PreparationProblem) -> GateBounds {
    let bounds = GateBounds(
      minimumNanoseconds: try gateMin?.evaluate(in: scope).nanoseconds ?? 0,
      maximumNanoseconds: try gateMax?.evaluate(in: scope).nanoseconds)
    if let maximum = bounds.maximumNanoseconds, maximum < bounds.minimumNanoseconds {
      throw PreparationProblem(step: nil, message: "deadline: min is longer than max")
    }
    return bounds
  }

  private static func isTrue(
    _ expression: Expression, _ key: String, _ step: StepID, _ scope: some ExpressionContext
  ) throws(PreparationProblem) -> Bool {
    do throws(ExpressionError) {
      return try expression.isTrue(in: scope)
    } catch {
      throw PreparationProblem(step: step, message: "\(key): \(error.description)")
    }
  }

  /// Returns the `if` of a step. Returns nil if the step has none, or if it is evaluated for each item.
  func condition(of step: StepIndex) -> Expression? {
    guard let detail = detail(of: step), detail.fanOut?.asksForEachItem != true else { return nil }
    return detail.condition
  }

  /// Evaluates the `if` of the step in `scope`.
  static func decision(_ condition: Expression, in scope: RunScope) -> Decision {
    do throws(ExpressionError) {
      // In `finally`, an `if` that calls no status function is not combined with `success()`.
      let isFinal = scope.step.map { scope.plan.isFinal($0) } ?? false
      return try isFinal
        ? condition.isTrue(in: scope) ? .run : .skip
        : condition.isSatisfied(in: scope) ? .run : .skip
    } catch {
      return .fail(StepFailure(error, in: "if"))
    }
  }
}
