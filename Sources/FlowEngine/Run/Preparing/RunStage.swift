import FlowExpressions
import FlowModel

/// A prepared workflow with assumed inputs, launch and outputs, for a simulated run. It creates the same plan as a real
/// run.
package struct RunStage: Sendable {
  /// The workflow that is simulated.
  package let prepared: PreparedWorkflow
  /// The values of the expressions that are evaluated at activation.
  package private(set) var resolution = Resolution()
  private let capacity: MachineResources
  private let inputs: ValueObject
  private let launch: Launch
  private var environment: ValueObject
  private var outputs: [StepIndex: ValueObject]
  private var scopeEnvironments: [ValueObject] = []
  private let names: StepNames
  private let inherited = InheritedVariables(lookUp: RunOptions.variableOfProcess)

  /// Creates a stage and evaluates the expressions that a run evaluates at activation. Throws the same errors as a run.
  package init(
    _ prepared: PreparedWorkflow, inputs: ValueObject, launch: Launch, environment: ValueObject = [:],
    outputs: [StepIndex: ValueObject] = [:], capacity: MachineResources? = nil
  ) throws(PreparedWorkflow.PreparationProblem) {
    try prepared.graph.checkRequests(in: capacity)
    self.prepared = prepared
    self.capacity = prepared.graph.capacity(capacity)
    self.inputs = inputs
    self.launch = launch
    self.environment = environment
    self.outputs = outputs
    names = StepNames(prepared.graph.workflow)
    let blank = Plan(graph: prepared.graph, facts: prepared.facts, detail: .none)
    do throws(ExpressionError) {
      for (name, value) in try prepared.environment.evaluate(in: scope(nil, blank)) { self.environment[name] = value }
      for number in prepared.graph.workflow.scopes.indices { try enter(number, blank) }
    } catch {
      throw PreparedWorkflow.PreparationProblem(step: nil, message: "env: \(error.description)")
    }
    resolution = try prepared.resolution(in: scope(nil, blank))
  }

  /// Evaluates the inputs and variables of an included workflow.
  private mutating func enter(_ number: Int, _ plan: Plan) throws(ExpressionError) {
    let entry = prepared.graph.workflow.scopes[number].entry
    switch prepared.detail(of: entry)?.inputs {
    case nil, .nothing: break
    case .bound(let inputs): outputs[entry] = inputs.values
    case .withPaths(let values): outputs[entry] = values
    case .evaluated(let object):
      let given = try? object.evaluate(in: scope(entry, plan))
      let fields = prepared.action(of: entry).declaration.inputs
      outputs[entry] = given.map { (try? InputBinding.bind($0, to: fields)) ?? $0 }
    }
    var inner = scope(nil, plan)
    inner.prefix = prepared.graph.workflow.scopes[number].prefix
    inner.inputs = outputs[entry] ?? [:]
    scopeEnvironments.append(try prepared.scopeEnvironments[number].evaluate(in: inner))
  }

  func scope(_ step: StepIndex?, _ plan: Plan) -> RunScope {
    var scope = RunScope(
      plan: plan, outputs: outputs, inputs: inputs, environment: environment, secrets: [:], launch: launch, run: [:],
      step: step,
      stepIndices: names)
    scope.inherited = inherited
    scope.withheld = prepared.graph.workflow.secretVariables
    if let step, let own = prepared.detail(of: step)?.environment, own.literal?.isEmpty != true { scope.own = own }
    guard let step, let number = prepared.graph.workflow.scope(of: step), number < scopeEnvironments.count else {
      return scope
    }
    scope.prefix = prepared.graph.workflow.scopes[number].prefix
    scope.inputs = outputs[prepared.graph.workflow.scopes[number].entry] ?? [:]
    scope.environment = scopeEnvironments[number]
    return scope
  }

  /// Returns a plan of the run that has received no event.
  package func plan(announcedEvents: Int = 0, jitter: @escaping @Sendable (StepIndex, Int) -> Double) -> Plan {
    var plan = Plan(
      graph: prepared.graph, facts: prepared.facts, resolution: resolution, capacity: capacity,
      announcedEvents: announcedEvents, detail: .none, jitter: jitter)
    plan.outstanding.outsideServicesEnd = true
    return plan
  }

  /// Evaluates the `if` of a step in the given state of the plan.
  package func decide(_ step: StepIndex, in plan: Plan) -> Decision {
    guard let condition = prepared.condition(of: step) else { return .run }
    return PreparedWorkflow.decision(condition, in: scope(step, plan))
  }

  package func condition(of step: StepIndex) -> Expression? { prepared.condition(of: step) }

  /// Returns the number of a step's items. Returns nil if the step is not a fan-out, or if its items cannot be
  /// evaluated, for example because they depend on unknown outputs.
  package func itemCount(of step: StepIndex, in plan: Plan) -> Int? {
    guard let fanOut = prepared.detail(of: step)?.fanOut else { return nil }
    guard let values = try? fanOut.values(in: scope(step, plan)) else { return nil }
    return values.count
  }

  /// Returns the step that expressions of `step` refer to as `id`, or nil if there is none.
  package func index(of id: String, seenFrom step: StepIndex) -> StepIndex? {
    let prefix = prepared.graph.workflow.scope(of: step).map { prepared.graph.workflow.scopes[$0].prefix } ?? ""
    return names[prefix + id]
  }

  package func postedEvents(of step: StepIndex) -> [String] {
    prepared.action(of: step).declaration.eventsPosted(with: prepared.graph.workflow.steps[Int(step)].with)
  }

  package func isService(_ step: StepIndex) -> Bool { prepared.action(of: step).declaration.isService }

  /// True if the action of the step declares handles that other steps can require.
  package func provides(_ step: StepIndex) -> Bool { !prepared.action(of: step).declaration.provides.isEmpty }

  /// True if the step is the entry or exit of an included workflow, which takes no time.
  package func isFrame(_ step: StepIndex) -> Bool {
    prepared.graph.workflow.steps[Int(step)].options.includeRole != .none
  }
}
