import FlowEngine
import FlowExpressions
import FlowModel

extension Scenario {
  /// Runs the scenario on the virtual clock with the plan that production runs, and gives the plan as it ended.
  ///
  /// ```swift
  /// let plan = try scenario.simulated()
  /// #expect(plan.gate.outcome == .ready)
  /// #expect(plan[0].endedAtNanoseconds == 300_000_000)
  /// ```
  ///
  /// `if`, `enabled`, `defer` and the gate's figures are evaluated; they may read `inputs`, `launch`, `gate` and the
  /// status functions. Outputs are not simulated. A run that never ends gives a plan whose `conclusion` is nil.
  ///
  /// Throws a `WorkflowGraph.Cycle`, an `ExpressionError` or a `DurationText.Problem`.
  public func simulated() throws -> Plan { try simulated(inspecting: nil) }

  /// The same; `inspect` sees the plan after every event.
  package func simulated(inspecting inspect: ((Plan) -> Void)?) throws -> Plan {
    let graph = try WorkflowGraph(workflow)
    let resolution = try resolution(of: graph)
    let conditions = try workflow.steps.map { try $0.options.condition.map { try Expression(parsing: $0) } }
    let plan = Plan(
      graph: graph, facts: facts(conditions),
      // What expressions say is known from activation on.
      resolution: activatedAt == nil ? resolution : nil, announcedEvents: outsideEvents.count,
      outsideSourceIsOpen: outsideSource != .closed, detail: .none
    ) { scripts[Int($0)].draw(afterAttempt: $1) }
    var simulator = Simulator(plan) { step, plan in
      guard let condition = conditions[Int(step)] else { return .run }
      do throws(ExpressionError) {
        return try condition.isSatisfied(in: ScenarioContext(scenario: self, asker: (plan, step))) ? .run : .skip
      } catch {
        return .fail(StepFailure(code: "expression", message: "if: \(error.description)"))
      }
    } body: { step, attempt in
      Simulator.Body(scripts[Int(step)].behavior(attempt: attempt), isService: scripts[Int(step)].isService)
    }
    simulator.inspect = inspect
    scheduleSurroundings(resolution, in: &simulator)
    return simulator.run(activation: activatedAt == nil ? resolution : nil)
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

  private func facts(_ conditions: [Expression?]) -> [StepIndex: StepFacts] {
    var facts: [StepIndex: StepFacts] = [:]
    for (index, script) in scripts.enumerated() {
      facts[StepIndex(index)] = StepFacts(
        isService: script.isService, postedEvents: script.declaredEvents,
        statusFunctions: conditions[index]?.statusFunctionSet ?? [])
    }
    return facts
  }

  /// What `enabled` and `defer` say at activation.
  private func resolution(of graph: WorkflowGraph) throws -> Resolution {
    var resolution = Resolution(literalsOf: graph)
    let context = ScenarioContext(scenario: self)
    for index in graph.stepsWithOptions {
      let options = workflow.steps[Int(index)].options
      if case .expression(let text) = options.enabled, try !Expression(parsing: text).isTrue(in: context) {
        resolution.disabled.insert(index)
      }
      if case .expression(let text) = options.deferral, try Expression(parsing: text).isTrue(in: context) {
        resolution.deferred.insert(index)
      }
    }
    resolution.gate = GateBounds(
      floorNanoseconds: try nanoseconds(workflow.gate?.min) ?? 0,
      ceilingNanoseconds: try nanoseconds(workflow.gate?.max))
    return resolution
  }

  private func nanoseconds(_ source: DurationSource?) throws -> Int? {
    switch source {
    case nil: return nil
    case .literal(let duration): return duration.nanoseconds
    case .expression(let text):
      let value = try Template(parsing: text).evaluate(in: ScenarioContext(scenario: self))
      guard case .string(let duration) = value else { throw DurationText.Problem.notANumber(value.shortText) }
      return try DurationText.parse(duration).nanoseconds
    }
  }
}

/// What the expressions of a scenario see.
private struct ScenarioContext: ExpressionContext {
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

extension Simulator.Body {
  /// What a scripted attempt does.
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
