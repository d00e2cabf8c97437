import FlowExpressions
import FlowModel
import FlowPluginKit

extension WorkflowRun {
  /// What an expression of a step (nil: of the workflow) sees now.
  func scope(_ step: StepIndex?, _ state: RunState) -> RunScope {
    RunScope(
      plan: state.plan, outputs: state.outputs, inputs: options.inputs, environment: state.environment,
      launch: state.plan.activatedAtNanoseconds == nil && options.isPrewarmed ? nil : state.launch,
      run: ["id": .string(run.id), "data": .string(run.dataFolder)], step: step, stepIndices: names)
  }

  /// What the `if` of a step says.
  func decide(_ step: StepIndex, _ state: RunState) -> Decision {
    guard let condition = prepared.detail(of: step)?.condition else { return .run }
    do throws(ExpressionError) {
      return try condition.isSatisfied(in: scope(step, state)) ? .run : .skip
    } catch {
      return .fail(StepFailure(code: "expression", message: "if: \(error.description)"))
    }
  }

  /// The inputs of a step: expressions evaluated, defaults filled in, paths made absolute, types checked.
  func inputs(of step: StepIndex, _ state: RunState) -> Result<ValueObject, StepFailure> {
    guard let detail = prepared.detail(of: step) else { return .success([:]) }
    let declaration = prepared.action(of: step).declaration
    let given: ValueObject
    if let literal = detail.inputs.literal {
      given = literal
    } else {
      do throws(ExpressionError) {
        given = try detail.inputs.evaluate(in: scope(step, state))
      } catch {
        return .failure(StepFailure(code: "expression", message: "with: \(error.description)"))
      }
    }
    do throws(TypeMismatch) {
      return .success(try InputBinding.bind(given, to: declaration.inputs, run: run))
    } catch {
      let help = error.help.map { "; \($0)" } ?? ""
      return .failure(StepFailure(code: "input", message: "with \(error.description)\(help)"))
    }
  }

  /// Evaluates the workflow's `env`.
  func resolveEnvironment() throws(PreparedWorkflow.Problem) {
    let problem = state.withLock { state -> PreparedWorkflow.Problem? in
      do throws(ExpressionError) {
        let own = try prepared.environment.evaluate(in: scope(nil, state))
        state.environment = own
        return nil
      } catch {
        return PreparedWorkflow.Problem(step: nil, message: "env: \(error.description)")
      }
    }
    if let problem { throw problem }
  }

  /// Evaluates what is fixed at activation and activates the plan.
  func activate(launch: Launch, isStarting: Bool) throws(PreparedWorkflow.Problem) {
    let result = withPlan { state -> Result<Aftermath?, PreparedWorkflow.Problem> in
      guard state.plan.activatedAtNanoseconds == nil, !state.plan.isCancelled else { return .success(nil) }
      do throws(PreparedWorkflow.Problem) {
        state.launch = launch
        let scope = scope(nil, state, launch: launch)
        state.environment = try environment(scope)
        var resolved = scope
        resolved.environment = state.environment
        let resolution = try resolve(resolved)
        state.gateFloorNanoseconds = try prepared.gateMin?.evaluate(in: resolved).nanoseconds ?? 0
        state.gateCeilingNanoseconds = try prepared.gateMax?.evaluate(in: resolved).nanoseconds
        if let ceiling = state.gateCeilingNanoseconds, ceiling < state.gateFloorNanoseconds {
          throw PreparedWorkflow.Problem(step: nil, message: "deadline: min is longer than max")
        }
        let now = clock.now
        state.plan.apply(.activated(resolution), at: now)
        if isStarting { state.plan.apply(.started(prewarm: false), at: now) }
        let opening = gateClock.arm(
          activatedAtNanoseconds: now, floorNanoseconds: state.gateFloorNanoseconds,
          ceilingNanoseconds: state.gateCeilingNanoseconds
        ) { [self] outcome, time in
          deadlines.schedule(atNanoseconds: time) { [self] in change(.gateOpened(outcome), atNanoseconds: time) }
        }
        if let opening { state.plan.apply(.gateOpened(opening.outcome), at: opening.atNanoseconds) }
        return .success(settle(&state))
      } catch {
        return .failure(error)
      }
    }
    if let aftermath = try result.get() {
      finish(aftermath)
    }
  }

  private func scope(_ step: StepIndex?, _ state: RunState, launch: Launch) -> RunScope {
    var scope = scope(step, state)
    scope.launch = launch
    return scope
  }

  private func environment(_ scope: RunScope) throws(PreparedWorkflow.Problem) -> ValueObject {
    do throws(ExpressionError) {
      return try prepared.environment.evaluate(in: scope)
    } catch {
      throw PreparedWorkflow.Problem(step: nil, message: "env: \(error.description)")
    }
  }

  /// What `enabled` and `defer` say, and that no deferred step is one the gate is told to wait for.
  private func resolve(_ scope: RunScope) throws(PreparedWorkflow.Problem) -> Resolution {
    let steps = prepared.graph.workflow.steps
    var resolution = Resolution(literalsOf: prepared.graph)
    for index in prepared.graph.stepsWithOptions {
      guard let detail = prepared.detail(of: index) else { continue }
      let id = steps[Int(index)].id
      if let enabled = detail.enabled, try !isTrue(enabled, "enabled", id, scope) { resolution.disabled.insert(index) }
      if let deferral = detail.deferral, try isTrue(deferral, "defer", id, scope) { resolution.deferred.insert(index) }
    }
    guard !resolution.deferred.isEmpty else { return resolution }
    var isDeferred = [Bool](repeating: false, count: steps.count)
    for index in prepared.graph.topologicalOrder {
      let step = steps[Int(index)]
      let itself =
        resolution.deferred.contains(index) || step.options.deferral == .afterGate
        || step.options.deferral == .idle
      guard itself || step.needs.contains(where: { isDeferred[Int($0)] }) else { continue }
      isDeferred[Int(index)] = true
      if step.options.blocking == true {
        throw PreparedWorkflow.Problem(
          step: step.id,
          message: "is blocking but deferred in this launch; write 'blocking: false', or do not defer what it needs")
      }
    }
    return resolution
  }

  private func isTrue(
    _ expression: Expression, _ key: String, _ step: StepID, _ scope: RunScope
  ) throws(PreparedWorkflow.Problem) -> Bool {
    do throws(ExpressionError) {
      return try expression.isTrue(in: scope)
    } catch {
      throw PreparedWorkflow.Problem(step: step, message: "\(key): \(error.description)")
    }
  }
}
