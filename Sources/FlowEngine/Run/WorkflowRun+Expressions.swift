import FlowExpressions
import FlowModel
import FlowSecrets
import FlowPluginKit

extension WorkflowRun {
  /// Returns the values that an expression of a step can read now. If `step` is nil, the expression belongs to the
  /// workflow.
  func scope(_ step: StepIndex?, _ state: RunState) -> RunScope {
    if let step, let (owner, item) = instances.item(of: step) {
      var scope = scope(owner, state)
      scope.item = state.fanOuts[owner]?.values.item(item)
      return scope
    }
    var scope = RunScope(
      plan: state.plan, outputs: state.outputs, inputs: options.inputs, environment: state.environment,
      secrets: options.secrets,
      launch: state.plan.activatedAtNanoseconds == nil && options.isPrewarmed ? nil : state.launch,
      run: ["id": .string(run.id), "data": .string(run.dataFolder), "folder": .string(startedFolder)], step: step,
      stepIndices: names)
    scope.products = state.products
    scope.eventValues = state.eventValues
    scope.inherited = inherited
    scope.withheld = withheldVariables
    if let step, let number = prepared.graph.workflow.scope(of: step) { narrow(&scope, to: number, state) }
    if let step, let own = prepared.detail(of: step)?.environment, own.literal?.isEmpty != true { scope.own = own }
    return scope
  }

  /// Replaces the inputs, steps and variables with those of an included workflow. `number` is the index of its scope.
  private func narrow(_ scope: inout RunScope, to number: Int, _ state: RunState) {
    let included = prepared.graph.workflow.scopes[number]
    scope.prefix = included.prefix
    scope.inputs = state.outputs[included.entry] ?? [:]
    scope.secrets = [:]
    scope.environment = own([:], above: options.scopeEnvironments[number] ?? [:])
    // If the variables cannot be evaluated, another check fails each step of the file (`environmentProblem`).
    let own = (try? prepared.scopeEnvironments[number].evaluate(in: scope)) ?? [:]
    for (name, value) in own { scope.environment[name] = value }
  }

  /// Returns the folder of the file that contains a step or item.
  package func workflowFolder(of step: StepIndex) -> String {
    guard let number = prepared.graph.workflow.scope(of: instances.owner(of: step)) else { return run.workflowFolder }
    return folder(prepared.graph.workflow.scopes[number].folder)
  }

  /// The folder of the workflow that the user started, even if this run is inside another one.
  private var startedFolder: String { options.outer?.run.startedFolder ?? run.workflowFolder }

  /// Returns the absolute path of a folder whose path is relative to the workflow's folder.
  private func folder(_ name: String) -> String {
    name.isEmpty ? run.workflowFolder : "\(run.workflowFolder)/\(name)"
  }

  /// Returns the information about the run for a step, with the folder of the step's own file.
  func information(of step: StepIndex) -> RunInformation {
    RunInformation(id: run.id, dataFolder: run.dataFolder, workflowFolder: workflowFolder(of: step))
  }

  func decide(_ step: StepIndex, _ state: RunState) -> Decision {
    guard let condition = prepared.condition(of: step) else { return decideByItems(of: step, state) }
    let decision = PreparedWorkflow.decision(condition, in: scope(step, state))
    if case .fail(let failure) = decision { return .fail(hidden(failure)) }
    return decision
  }

  /// Returns the decision for a fan-out whose `if` is evaluated for each item. This matters only after a cancellation:
  /// the step continues if its `if` is true for an unfinished item.
  private func decideByItems(of step: StepIndex, _ state: RunState) -> Decision {
    guard state.plan.isCancelled, state.plan.hasBegun(step), let fanOut = state.fanOuts[step],
      let condition = prepared.detail(of: step)?.condition
    else { return .run }
    var scope = scope(step, state)
    let isHeld = fanOut.values.indices.contains { item in
      guard state.plan.itemOutcome(item, of: step) == nil else { return false }
      scope.item = fanOut.values.item(item)
      return (try? condition.isSatisfied(in: scope)) ?? false
    }
    return isHeld ? .run : .skip
  }

  /// Returns the inputs of a step or item: expressions are evaluated, defaults added, paths made absolute and types
  /// checked. Returns nil if it has neither inputs nor files to check.
  func inputs(of step: StepIndex, _ state: inout RunState) -> StartInputs? {
    let owner = instances.owner(of: step)
    let detail = prepared.detail(of: owner)
    var inputs = inputs(of: step, owner, detail, state)
    if inputs?.problem == nil, let problem = environmentProblem(of: step, owner, detail, state) {
      inputs = StartInputs(inputs?.values ?? [:], problem: hidden(problem))
    }
    return detail?.files == nil ? inputs : withCheck(inputs, of: step, state)
  }

  private func inputs(
    of step: StepIndex, _ owner: StepIndex, _ detail: StepDetail?, _ state: RunState
  ) -> StartInputs? {
    switch detail?.inputs {
    case nil, .nothing: return nil
    case .bound(let inputs): return inputs
    case .withPaths(let values):
      let fields = prepared.action(of: owner).declaration.inputs
      return StartInputs(
        InputBinding.absolutePaths(
          in: values, of: fields, dataFolder: run.dataFolder, workflowFolder: workflowFolder(of: owner)))
    case .evaluated(let object): return evaluate(object, step, owner, state)
    }
  }

  /// Returns a failure if the variables of the step or its file cannot be evaluated, otherwise nil.
  private func environmentProblem(
    of step: StepIndex, _ owner: StepIndex, _ detail: StepDetail?, _ state: RunState
  ) -> StepFailure? {
    let own = detail?.environment
    let file = prepared.graph.workflow.scope(of: owner).map { prepared.scopeEnvironments[$0] }
    guard own.map({ $0.literal == nil }) ?? false || file.map({ $0.literal == nil }) ?? false else { return nil }
    let scope = scope(step, state)
    do throws(ExpressionError) {
      if let own { _ = try scope.variables(own) }
      if let file { _ = try scope.variables(file) }
      return nil
    } catch {
      return StepFailure(error, in: "env")
    }
  }

  private func evaluate(
    _ object: PreparedObject, _ step: StepIndex, _ owner: StepIndex, _ state: RunState
  ) -> StartInputs {
    let given: ValueObject
    do throws(ExpressionError) {
      given = try object.evaluate(in: scope(step, state))
    } catch {
      return StartInputs(
        ValueObject(), problem: hidden(StepFailure(error, in: "with")))
    }
    do throws(TypeMismatch) {
      return StartInputs(
        try InputBinding.bind(
          given, to: prepared.action(of: owner).declaration.inputs, run: information(of: owner),
          defaultsIn: prepared.detail(of: owner)?.defaultFolder.map(folder)))
    } catch {
      return StartInputs(ValueObject(), problem: hidden(.inputs(error)))
    }
  }

  /// Evaluates the `env` of the workflow before activation.
  func resolveEnvironment() throws(PreparedWorkflow.PreparationProblem) {
    let problem = state.withLock { state -> PreparedWorkflow.PreparationProblem? in
      do throws(ExpressionError) {
        var scope = scope(nil, state)
        scope.environment = aboveFile([:])
        let own = try prepared.environment.evaluate(in: scope)
        state.environment = aboveFile(own)
        return nil
      } catch {
        return PreparedWorkflow.PreparationProblem(step: nil, message: "env: \(error.description)")
      }
    }
    if let problem { throw problem }
  }

  /// Evaluates the expressions that are evaluated at activation, activates the plan, and sets the timers of the gate.
  /// Has no effect if the run was activated or cancelled before.
  func activate(launch: Launch, isStarting: Bool) throws(PreparedWorkflow.PreparationProblem) {
    // A variable is used instead of a `Result`, whose type the runtime would create each time the process starts.
    var problem: PreparedWorkflow.PreparationProblem?
    let aftermath = withPlan { state -> Aftermath in
      guard state.plan.activatedAtNanoseconds == nil, !state.plan.isCancelled else { return Aftermath() }
      do throws(PreparedWorkflow.PreparationProblem) {
        state.launch = launch
        // The system supplies the reason and the options of a prewarmed run at its activation, but not `isFirst`.
        state.launch.isFirst = options.launch.isFirst
        hide(SecretMask.links(in: launch.options), of: "launch")
        let resolution = try resolve(&state)
        let now = state.instant(clock.now)
        state.plan.apply(.activated(resolution), at: now)
        if isStarting { state.plan.apply(.started(prewarm: false), at: now) }
        let opened = gateClock.arm(activatedAtNanoseconds: now, resolution.gate) { [self] opened in
          deadlines.schedule(atNanoseconds: opened.atNanoseconds) { [self] in takeIn(opened) }
        }
        if let opened { state.takeIn(opened) }
        var aftermath = carryOut(&state)
        aftermath.mustBeginGate = true
        return aftermath
      } catch {
        problem = error
        return Aftermath()
      }
    }
    if let problem { throw problem }
    perform(aftermath)
  }

  /// Evaluates the workflow's variables and the options that are fixed at activation. If all are literals, no scope is
  /// created, which saves 2 % of a launch.
  private func resolve(_ state: inout RunState) throws(PreparedWorkflow.PreparationProblem) -> Resolution {
    if prepared.isLiteralAtActivation, let own = prepared.environment.literal {
      if !own.isEmpty || !options.fileEnvironment.isEmpty { state.environment = aboveFile(own) }
      return try prepared.resolution(in: FixedContext([:]))
    }
    var scope = scope(nil, state)
    scope.launch = state.launch
    scope.environment = aboveFile([:])
    state.environment = try environment(scope)
    scope.environment = state.environment
    return try prepared.resolution(in: scope)
  }

  func takeIn(_ opened: OpenedGate) {
    let aftermath = withPlan { state in
      state.takeIn(opened)
      return carryOut(&state)
    }
    perform(aftermath)
  }

  /// Returns the variables in the workflow's `env-file`, overridden by `own`.
  private func aboveFile(_ own: ValueObject) -> ValueObject {
    options.fileEnvironment.isEmpty ? own : self.own(own, above: options.fileEnvironment)
  }

  private func own(_ own: ValueObject, above file: ValueObject) -> ValueObject {
    var variables = file
    for name in withheldVariables { variables[name] = nil }
    for (name, value) in own { variables[name] = value }
    return variables
  }

  private func environment(_ scope: RunScope) throws(PreparedWorkflow.PreparationProblem) -> ValueObject {
    do throws(ExpressionError) {
      return aboveFile(try prepared.environment.evaluate(in: scope))
    } catch {
      throw PreparedWorkflow.PreparationProblem(step: nil, message: "env: \(error.description)")
    }
  }
}
