import FlowEngine
import FlowExpressions
import FlowInsight
import FlowModel

extension Scenario {
  /// Runs the scenario on the virtual clock with the production plan, and returns the plan after its end.
  ///
  /// ```swift
  /// let plan = try scenario.simulated()
  /// #expect(plan.gate.outcome == .ready)
  /// #expect(plan[0].endedAtNanoseconds == 300_000_000)
  /// ```
  ///
  /// `if`, `enabled`, `defer` and the gate's bounds are evaluated. They may read `inputs`, `launch`, `gate`, `steps`
  /// and the status functions. Steps return ``outputs``. If a run never ends, the `conclusion` of its plan is nil.
  ///
  /// Throws a `WorkflowGraph.Cycle`, an `ExpressionError` or a `DurationText.DurationProblem`.
  public func simulated() throws -> Plan { try simulated(inspecting: nil) }

  /// Like ``simulated()``, but calls `inspect` with the plan after every event.
  package func simulated(inspecting inspect: ((Plan) -> Void)?) throws -> Plan {
    let stage = try ScenarioStage(self)
    // In a prewarmed run, expressions are evaluated only at activation.
    let resolution = activatedAt == nil ? stage.resolution : nil
    var simulator = stage.simulator(
      stage.plan(
        resolution: resolution, announcedEvents: outsideEvents.count, outsideSourceIsOpen: outsideSource != .closed))
    simulator.inspect = inspect.map { inspect in { plan, _ in inspect(plan) } }
    scheduleSurroundings(stage.resolution, in: &simulator)
    return simulator.run(activation: resolution)
  }

  /// Simulates the scenario. Returns the course of the run, from which critical paths are computed, and the plan after
  /// its end.
  package func course() throws -> (course: RunCourse, plan: Plan) {
    let stage = try ScenarioStage(self)
    let resolution = activatedAt == nil ? stage.resolution : nil
    let fresh = stage.plan(
      resolution: resolution, announcedEvents: outsideEvents.count, outsideSourceIsOpen: outsideSource != .closed)
    var simulator = stage.simulator(fresh)
    simulator.trace = RunTrace()
    scheduleSurroundings(stage.resolution, in: &simulator)
    let plan = simulator.run(activation: resolution)
    return (RunCourse(CourseShape(plan), plan, simulator.trace ?? RunTrace()), plan)
  }

  /// Like ``simulated()``, but with a journal. After every event, calls `inspect` with all journal entries so far and
  /// the time.
  package func simulated(journaling inspect: @escaping (JournalEntries, Int) -> Void) throws -> Plan {
    let stage = try ScenarioStage(self)
    let resolution = activatedAt == nil ? stage.resolution : nil
    var plan = stage.plan(
      resolution: resolution, announcedEvents: outsideEvents.count, outsideSourceIsOpen: outsideSource != .closed)
    plan.keepEntries(startsToo: false)
    var simulator = stage.simulator(plan)
    simulator.inspect = { plan, now in
      var copy = plan
      inspect(copy.takeEntries(), now)
    }
    scheduleSurroundings(stage.resolution, in: &simulator)
    return simulator.run(activation: resolution)
  }

  /// Resumes the run at an instant, with a new plan that is restored from nothing but these journal entries.
  package func resumed(with entries: [JournalEntry], atNanoseconds now: Int) throws -> Plan {
    let stage = try ScenarioStage(self)
    let coming = outsideEvents.filter { $0.at.nanoseconds > now }
    var isOpen = false
    if case .open(let until) = outsideSource { isOpen = until.nanoseconds > now }
    var plan = stage.plan(resolution: nil, announcedEvents: coming.count, outsideSourceIsOpen: isOpen)
    plan.beginRestoring(wasPrewarmed: activatedAt != nil)
    for entry in entries { plan.restore(entry) }
    plan.endRestoring(at: now, gateCountsAnew: false)
    var simulator = stage.simulator(plan)
    var rest = self
    rest.activatedAt = nil
    rest.outsideEvents = coming
    if !isOpen { rest.outsideSource = .closed }
    rest.scheduleSurroundings(stage.resolution, in: &simulator)
    return simulator.resume(atNanoseconds: now)
  }

  private func scheduleSurroundings(_ resolution: Resolution, in simulator: inout Simulator) {
    if let activatedAt { simulator.schedule(.activated(resolution), atNanoseconds: activatedAt.nanoseconds) }
    for event in outsideEvents {
      simulator.schedule(.posted(event.name), atNanoseconds: event.at.nanoseconds)
      simulator.schedule(.announcedEventDone, atNanoseconds: event.at.nanoseconds)
    }
    if case .open(let until) = outsideSource {
      simulator.schedule(.outsideSourceClosed, atNanoseconds: until.nanoseconds)
    }
    if let cancelledAt { simulator.schedule(.cancelled, atNanoseconds: cancelledAt.nanoseconds) }
  }

  fileprivate func facts(_ conditions: [Expression?]) -> [StepIndex: StepFacts] {
    var facts: [StepIndex: StepFacts] = [:]
    for (index, script) in scripts.enumerated() {
      facts[StepIndex(index)] = StepFacts(
        isService: script.isService, isCommandService: script.isService && script.isCommandService,
        postedEvents: script.possibleEvents,
        statusFunctions: conditions[index]?.statusFunctionSet ?? [])
    }
    return facts
  }

  /// Evaluates `enabled`, `defer` and the gate's bounds, as at activation.
  fileprivate func resolution(of graph: WorkflowGraph) throws -> Resolution {
    var resolution = Resolution(literalsOf: graph)
    let context = ScenarioContext(scenario: self)
    for index in graph.stepsWithOptions {
      let options = workflow.steps[Int(index)].options
      if case .expression(let text) = options.enabled,
        try !workflow.texts.condition(text).expression.isTrue(in: context)
      {
        resolution.disabled.insert(index)
      }
      if case .expression(let text) = options.deferral,
        try workflow.texts.condition(text).expression.isTrue(in: context)
      {
        resolution.deferred.insert(index)
      }
    }
    resolution.gate = GateBounds(
      minimumNanoseconds: try nanoseconds(workflow.gate?.min) ?? 0,
      maximumNanoseconds: try nanoseconds(workflow.gate?.max))
    return resolution
  }

  private func nanoseconds(_ source: DurationSource?) throws -> Int? {
    switch source {
    case nil: return nil
    case .literal(let duration): return duration.nanoseconds
    case .expression(let text):
      let value = try workflow.texts.template(text).evaluate(in: ScenarioContext(scenario: self))
      guard case .string(let duration) = value else { throw DurationText.DurationProblem.notANumber(value.shortText) }
      return try DurationText.parse(duration).nanoseconds
    }
  }
}

/// A scenario with its graph and parsed expressions, from which plans and simulators are created.
private struct ScenarioStage {
  let scenario: Scenario
  let graph: WorkflowGraph
  let resolution: Resolution
  let conditions: [Expression?]

  init(_ scenario: Scenario) throws {
    self.scenario = scenario
    graph = try WorkflowGraph(scenario.workflow)
    resolution = try scenario.resolution(of: graph)
    let texts = scenario.workflow.texts
    conditions = try scenario.workflow.steps.map { try $0.options.condition.map { try texts.condition($0).expression } }
  }

  func plan(resolution: Resolution?, announcedEvents: Int, outsideSourceIsOpen: Bool) -> Plan {
    Plan(
      graph: graph, facts: scenario.facts(conditions), resolution: resolution, capacity: scenario.capacity,
      announcedEvents: announcedEvents, outsideSourceIsOpen: outsideSourceIsOpen, detail: .none
    ) { [scripts = scenario.scripts] step, attempt in
      // Items have no scripted draws, so they use the default.
      scripts.indices.contains(Int(step)) ? scripts[Int(step)].draw(afterAttempt: attempt) : 0.5
    }
  }

  func simulator(_ plan: Plan) -> Simulator {
    Simulator(plan) { [self] step, plan in
      guard let condition = conditions[Int(step)] else { return .run }
      do throws(ExpressionError) {
        let context = ScenarioContext(scenario: scenario, asker: (plan, step))
        let holds = try plan.isFinal(step) ? condition.isTrue(in: context) : condition.isSatisfied(in: context)
        return holds ? .run : .skip
      } catch {
        return .fail(StepFailure(error, in: "if"))
      }
    } items: { [scripts = scenario.scripts] step in
      let items = scripts[Int(step)].items
      let refused = items.indices.filter { items[$0].isLeftOut }.map { ($0, Decision.skip) }
      return .items(
        FanOutItems(
          hashes: Array(repeating: 0, count: items.count), refused: Dictionary(uniqueKeysWithValues: refused)))
    } decideItem: { [scripts = scenario.scripts] step, item in
      scripts[Int(step)].script(ofItem: item).isLeftOut ? .skip : .run
    } itemBody: { [scripts = scenario.scripts] step, item, attempt in
      Simulator.Body(scripts[Int(step)].script(ofItem: item).behavior(attempt: attempt), isService: false)
    } body: { [scripts = scenario.scripts] step, attempt in
      Simulator.Body(scripts[Int(step)].behavior(attempt: attempt), isService: scripts[Int(step)].isService)
    }
  }
}

/// Provides the values that expressions of a scenario can read.
private struct ScenarioContext: ExpressionContext {
  let scenario: Scenario
  /// The plan, and the step whose `if` is evaluated. Nil at activation.
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
    case "steps": asker.map { .object(steps(in: $0.plan)) }
    default: nil
    }
  }

  private func steps(in plan: Plan) -> ValueObject {
    var steps = ValueObject()
    for (index, step) in scenario.workflow.steps.enumerated() {
      let reading = plan[StepIndex(index)]
      steps[step.id.text] = [
        "outcome": reading.outcome.map { .string($0.word) } ?? .null,
        "conclusion": reading.conclusion.map { .string($0.word) } ?? .null,
        "outputs": .object(reading.outcome == .success ? scenario.outputs[step.id.text] ?? [:] : [:]),
        "products": [],
      ]
    }
    return steps
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

extension Simulator.Body {
  /// Converts the scripted behavior of an attempt to a body.
  fileprivate init(_ behavior: StepBehavior, isService: Bool) {
    let ending: Ending =
      switch behavior.ending {
      case .success: .success
      case .failure(let isRetryable):
        .failure(
          StepFailure(code: "scripted", message: "the script says so"), isRetryable: isRetryable,
          retryAfterNanoseconds: behavior.retryAfter?.nanoseconds ?? 0)
      }
    self.init(
      endsAfterNanoseconds: behavior.duration?.nanoseconds, ending: ending,
      posts: behavior.posts.map { ($0.after.nanoseconds, $0.event) },
      readyAfterNanoseconds: isService ? behavior.readyAfter?.nanoseconds : nil,
      endsAfterCancellationNanoseconds: behavior.respondsToCancellationAfter?.nanoseconds)
  }
}
