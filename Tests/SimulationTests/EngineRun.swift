import FlowEngine
import FlowExpressions
import FlowModel
import FlowTestKit

/// A scenario run by the engine's plan on the virtual clock.
struct EngineRun {
  let record: RunRecord

  init(_ scenario: Scenario) throws {
    let resolution = try Self.resolution(of: scenario)
    let conditions = try scenario.workflow.steps.map { try $0.options.condition.map { try Expression(parsing: $0) } }
    let graph = try WorkflowGraph(scenario.workflow)
    let plan = Plan(
      graph: graph, facts: Self.facts(of: scenario, conditions),
      // What expressions say is known from activation on.
      resolution: scenario.activatedAt == nil ? resolution : nil,
      announcedEvents: scenario.outsideEvents.count, outsideSourceIsOpen: scenario.outsideSource != .closed,
      detail: .none
    ) { scenario.scripts[Int($0)].draw(afterAttempt: $1) }
    var simulator = Simulator(
      plan, gateMinNanoseconds: try Self.duration(scenario.workflow.gate?.min, scenario) ?? 0,
      gateMaxNanoseconds: try Self.duration(scenario.workflow.gate?.max, scenario)
    ) { step, plan in
      guard let condition = conditions[Int(step)] else { return .run }
      let context = PlanContext(scenario: scenario, asker: (plan, step))
      guard let holds = try? condition.isSatisfied(in: context) else {
        return .fail(StepFailure(code: "expression", message: condition.source))
      }
      return holds ? .run : .skip
    } body: { step, attempt in
      Simulator.Body(scenario.scripts[Int(step)].behaviour(attempt: attempt), of: scenario.scripts[Int(step)])
    }
    if let at = scenario.activatedAt { simulator.schedule(.activated(resolution), atNanoseconds: at.nanoseconds) }
    for event in scenario.outsideEvents {
      simulator.schedule(.posted(event.name), atNanoseconds: event.at.nanoseconds)
      simulator.schedule(.announcedEventDone, atNanoseconds: event.at.nanoseconds)
    }
    if case .open(let until) = scenario.outsideSource {
      simulator.schedule(.outsideSourceClosed, atNanoseconds: until.nanoseconds)
    }
    if let at = scenario.cancelledAt { simulator.schedule(.cancelled, atNanoseconds: at.nanoseconds) }
    let final = simulator.run(activation: scenario.activatedAt == nil ? resolution : nil)
    record = Self.record(of: final, scenario)
  }

  // MARK: - What the expressions say

  private static func facts(of scenario: Scenario, _ conditions: [Expression?]) -> [StepIndex: StepFacts] {
    var facts: [StepIndex: StepFacts] = [:]
    for (index, script) in scenario.scripts.enumerated() {
      let names = conditions[index]?.statusFunctions ?? []
      var functions: StepFacts.StatusFunctions = []
      if names.contains(.success) { functions.insert(.success) }
      if names.contains(.failure) { functions.insert(.failure) }
      if names.contains(.cancelled) { functions.insert(.cancelled) }
      if names.contains(.always) { functions.insert(.always) }
      facts[StepIndex(index)] = StepFacts(
        isService: script.isService, postedEvents: script.declaredEvents, statusFunctions: functions)
    }
    return facts
  }

  private static func resolution(of scenario: Scenario) throws -> Resolution {
    var resolution = Resolution(literalsOf: scenario.workflow)
    let context = PlanContext(scenario: scenario)
    for (index, step) in scenario.workflow.steps.enumerated() where step.hasOptions {
      if case .expression(let text) = step.options.enabled, try !Expression(parsing: text).isTrue(in: context) {
        resolution.disabled.insert(StepIndex(index))
      }
      if case .expression(let text) = step.options.deferral, try Expression(parsing: text).isTrue(in: context) {
        resolution.deferred.insert(StepIndex(index))
      }
    }
    return resolution
  }

  private static func duration(_ source: DurationSource?, _ scenario: Scenario) throws -> Int? {
    switch source {
    case nil: return nil
    case .literal(let duration): return duration.nanoseconds
    case .expression(let text):
      let value = try Template(parsing: text).evaluate(in: PlanContext(scenario: scenario))
      guard case .string(let duration) = value else { return nil }
      return try DurationText.parse(duration).nanoseconds
    }
  }

  // MARK: - What came out

  private static func record(of plan: Plan, _ scenario: Scenario) -> RunRecord {
    let origin = plan.activatedAtNanoseconds ?? 0
    func time(_ nanoseconds: Int?) -> Int? { nanoseconds.map { $0 - origin } }
    let ids = scenario.workflow.steps.map(\.id.text)
    var record = RunRecord()
    record.conclusion = plan.conclusion?.rawValue
    record.endedAt = time(plan.endedAt)
    record.gate.outcome = plan.gate.outcome?.word
    record.gate.openedAt = time(plan.gate.openedAtNanoseconds)
    record.gate.readyAt = time(plan.gate.readyAtNanoseconds)
    record.gate.late = plan.gate.late.map { ids[Int($0)] }
    record.gate.failed = plan.gate.failed.map { ids[Int($0)] }
    for index in ids.indices {
      let step = plan[StepIndex(index)]
      record.steps.append(
        RunRecord.StepRecord(
          id: ids[index], outcome: step.outcome?.word, conclusion: step.conclusion?.word, reason: step.reason?.word,
          attempts: step.attempts, readyAt: time(step.readyAtNanoseconds), startedAt: time(step.startedAtNanoseconds),
          endedAt: time(step.endedAtNanoseconds), overrun: step.overrunNanoseconds, isAbandoned: step.isAbandoned,
          isDeferred: step.isDeferred, isBlocking: step.isBlocking))
    }
    let names =
      [LifecycleEvent.activate.rawValue] + scenario.outsideEvents.map(\.name)
      + scenario.scripts.flatMap(\.attempts).flatMap(\.posts).map(\.event)
    for name in names { record.events[name] = time(plan.timeOfEvent(name)) }
    return record
  }
}

extension Simulator.Body {
  /// What a scripted attempt does.
  init(_ behaviour: StepBehaviour, of script: StepScript) {
    let ending: Ending =
      switch behaviour.ending {
      case .success: .success
      case .failure(let isRetryable):
        .failure(
          StepFailure(code: "scripted", message: "the script says so"), isRetryable: isRetryable,
          retryAfterNanoseconds: 0)
      }
    self.init(
      endsAfterNanoseconds: behaviour.duration?.nanoseconds, ending: ending,
      posts: behaviour.posts.map { ($0.after.nanoseconds, $0.event) },
      readyAfterNanoseconds: script.isService ? behaviour.readyAfter?.nanoseconds : nil,
      endsAfterCancellationNanoseconds: behaviour.respondsToCancellationAfter?.nanoseconds)
  }
}
