import FlowEngine
import FlowModel
import FlowTestKit

extension RunRecord {
  /// Creates the record of a run of the engine's plan on the virtual clock. Checks the plan's invariants after every
  /// event.
  init(ofEngineRunning scenario: Scenario) throws {
    var contradictions: [String] = []
    let plan = try scenario.simulated { plan in
      if contradictions.isEmpty { contradictions = plan.problems() }
    }
    let origin = plan.activatedAtNanoseconds ?? 0
    func time(_ nanoseconds: Int?) -> Int? { nanoseconds.map { $0 - origin } }
    let ids = scenario.workflow.steps.map(\.id.text)
    self.init()
    self.contradictions = contradictions
    conclusion = plan.conclusion?.rawValue
    endedAt = time(plan.endedAt)
    gate.outcome = plan.gate.outcome?.word
    gate.openedAt = time(plan.gate.openedAtNanoseconds)
    gate.readyAt = time(plan.gate.readyAtNanoseconds)
    gate.late = plan.gate.late.map { ids[Int($0)] }
    gate.failed = plan.gate.failed.map { ids[Int($0)] }
    for index in ids.indices {
      let step = plan[StepIndex(index)]
      steps.append(
        RunRecord.StepRecord(
          id: ids[index], outcome: step.outcome?.word, conclusion: step.conclusion?.word, reason: step.reason?.word,
          attempts: step.attempts, readyAt: time(step.readyAtNanoseconds), startedAt: time(step.startedAtNanoseconds),
          endedAt: time(step.endedAtNanoseconds), overrun: step.overrunNanoseconds, isAbandoned: step.isAbandoned,
          isDeferred: step.isDeferred, isBlocking: step.isBlocking,
          items: step.attempts == 0 && step.outcome != .timedOut
            ? []
            : plan.items(of: StepIndex(index)).map { item in
              RunRecord.ItemRecord(
                outcome: item.outcome?.word, reason: item.reason?.word, attempts: item.attempts,
                startedAt: time(item.startedAtNanoseconds), endedAt: time(item.endedAtNanoseconds),
                isAbandoned: item.isAbandoned)
            }))
    }
    let names =
      [LifecycleEvent.activate.rawValue] + scenario.outsideEvents.map(\.name)
      + (scenario.scripts + scenario.scripts.flatMap(\.items)).flatMap(\.attempts).flatMap(\.posts).map(\.event)
    for name in names { events[name] = time(plan.timeOfEvent(name)) }
    for event in scenario.workflow.events where event.repeats && plan.timeOfEvent(event.name) != nil {
      posts[event.name] = plan.posts(of: event.name).compactMap { time($0.atNanoseconds) }
    }
  }
}
