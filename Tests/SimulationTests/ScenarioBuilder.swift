import FlowModel
import FlowTestKit

/// Builds scenarios from ids of steps, ids of dependencies, and times in milliseconds.
///
/// ```swift
/// var launch = ScenarioBuilder(min: 2000, max: 5000)
/// launch.step("store", takes: 300)
/// launch.step("screen", needs: ["store"], takes: 100) { $0.queue = "main" }
/// ```
struct ScenarioBuilder {
  private(set) var scenario: Scenario

  init(min minimum: Int? = nil, max maximum: Int? = nil) {
    var workflow = Workflow(name: "by-hand", steps: [])
    if minimum != nil || maximum != nil {
      workflow.gate = GateDeadline(
        min: minimum.map { .literal(.milliseconds($0)) }, max: maximum.map { .literal(.milliseconds($0)) })
    }
    scenario = Scenario(workflow, scripts: [])
  }

  /// Adds a step that succeeds after `takes` milliseconds, or never returns if `takes` is nil.
  mutating func step(
    _ id: String, needs: [String] = [], takes: Int?, _ change: (inout StepOptions) -> Void = { _ in }
  ) {
    step(id, needs: needs, StepScript([StepBehavior(duration: takes.map { .milliseconds($0) })]), change)
  }

  /// Adds a step whose bodies follow a script.
  mutating func step(
    _ id: String, needs: [String] = [], _ script: StepScript, _ change: (inout StepOptions) -> Void = { _ in }
  ) {
    var options = StepOptions()
    change(&options)
    let indices = needs.map { need in StepIndex(scenario.workflow.steps.firstIndex { $0.id.text == need }!) }
    let uses = script.isService ? "script.service" : "script.step"
    scenario.workflow.steps.append(Step(id: StepID(id)!, uses: uses, needs: indices[...], options: options))
    scenario.scripts.append(script)
  }

  /// Posts `event` from outside the run at this time.
  mutating func event(_ event: String, at milliseconds: Int) {
    scenario.outsideEvents.append(OutsideEvent(event, at: .milliseconds(milliseconds)))
  }

  /// Cancels the run at this time.
  mutating func cancel(at milliseconds: Int) { scenario.cancelledAt = .milliseconds(milliseconds) }

  /// Prewarms the run and activates it at this time.
  mutating func prewarm(activatedAt milliseconds: Int) { scenario.activatedAt = .milliseconds(milliseconds) }

  /// Makes any other change to the scenario.
  mutating func with(_ change: (inout Scenario) -> Void) { change(&scenario) }
}

extension StepScript {
  /// Returns a script that fails `times` times and then succeeds. Each attempt takes `takes` milliseconds.
  static func failing(times: Int, takes: Int) -> StepScript {
    StepScript(
      Array(repeating: .fails(after: .milliseconds(takes)), count: times) + [.succeeds(after: .milliseconds(takes))])
  }

  /// Returns a script that succeeds after `takes` milliseconds and posts `event` at its end.
  static func posting(_ event: String, takes: Int) -> StepScript {
    StepScript([
      StepBehavior(
        duration: .milliseconds(takes), posts: [ScriptedPost(after: .milliseconds(takes), event)])
    ])
  }
}

extension RunRecord {
  /// Returns the record of the step `id`, which must exist.
  subscript(id: String) -> StepRecord { steps.first { $0.id == id }! }

  /// Returns the start and end of a step in milliseconds from activation, such as `300..500`. A missing time is a dash.
  func span(_ id: String) -> String { "\(Self.text(self[id].startedAt))..\(Self.text(self[id].endedAt))" }

  /// The outcome and time of the gate, such as `ready at 2000`.
  var opening: String { "\(gate.outcome ?? "-") at \(Self.text(gate.openedAt))" }

  /// Returns the outcome of a step, with its reason if there is one, such as `skipped: condition`.
  func end(_ id: String) -> String { (self[id].outcome ?? "-") + (self[id].reason.map { ": " + $0 } ?? "") }

  /// Returns a time in milliseconds, or a dash for nil.
  static func text(_ nanoseconds: Int?) -> String {
    nanoseconds.map { $0 % 1_000_000 == 0 ? "\($0 / 1_000_000)" : "\(Double($0) / 1_000_000)" } ?? "-"
  }
}
