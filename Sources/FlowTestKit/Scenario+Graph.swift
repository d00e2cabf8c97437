import FlowEngine
import FlowModel

extension Scenario {
  /// Creates a scenario for a compiled workflow, for tests of an app's launch. By default, each step takes the upper
  /// end of its `estimate`, or no time if it has none. `durations` overrides this for steps by id.
  ///
  /// ```swift
  /// let launch = try Scenario(Workflows.Launch.graph(), durations: ["open-store": .milliseconds(80)])
  /// #expect(try launch.simulated().gate.openedAtNanoseconds == 80_000_000)
  /// ```
  public init(_ graph: WorkflowGraph, durations: [String: Duration] = [:]) {
    let steps = graph.workflow.steps
    self.init(
      graph.workflow,
      scripts: steps.map { step in .succeeds(after: durations[step.id.text] ?? step.options.estimate?.high ?? .zero) })
  }

  /// Simulates the scenario. Returns the starts and ends of steps and the opening of the gate, one per line, such as
  /// `80ms open-store: success`. Lines for the same instant are in file order, with the gate after the steps.
  public func timeline() throws -> [String] {
    let plan = try simulated()
    var timeline = Timeline()
    for (index, step) in workflow.steps.enumerated() {
      let reading = plan[StepIndex(index)]
      timeline.add(
        step.id, startedAt: reading.startedAtNanoseconds, endedAt: reading.endedAtNanoseconds, reading.outcome)
    }
    timeline.add(gateOpenedAt: plan.gate.openedAtNanoseconds, plan.gate.outcome)
    return timeline.lines
  }
}

extension RunReport {
  /// Returns the events of the run in the format of ``Scenario/timeline()``. Only the times of runs on a `VirtualClock`
  /// are reproducible.
  public func timeline() -> [String] {
    func nanoseconds(_ milliseconds: Double?) -> Int? { milliseconds.map { Int(($0 * 1e6).rounded()) } }
    var timeline = Timeline()
    for step in steps {
      timeline.add(
        step.id, startedAt: nanoseconds(step.startedAt), endedAt: nanoseconds(step.endedAt), step.outcome)
    }
    timeline.add(gateOpenedAt: nanoseconds(gate.openedAt), gate.outcome)
    return timeline.lines
  }
}

/// Collects lines and sorts them by time. Lines for the same instant keep their order.
private struct Timeline {
  private var entries: [(at: Int, text: String)] = []

  mutating func add(_ step: StepID, startedAt: Int?, endedAt: Int?, _ outcome: Outcome?) {
    if let startedAt { entries.append((startedAt, "\(step) starts")) }
    if let endedAt { entries.append((endedAt, "\(step): \(outcome.map(\.word) ?? "not finished")")) }
  }

  mutating func add(gateOpenedAt: Int?, _ outcome: GateOutcome?) {
    if let gateOpenedAt, let outcome { entries.append((gateOpenedAt, "the gate opens: \(outcome.word)")) }
  }

  var lines: [String] {
    entries.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
      .map { "\(DurationText.format(.nanoseconds($0.element.at))) \($0.element.text)" }
  }
}
