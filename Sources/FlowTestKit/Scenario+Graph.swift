import FlowEngine
import FlowModel

extension Scenario {
  /// A run of a compiled workflow, for tests of an app's launch: each step takes the worse end of its `estimate`, or no time
  /// where it states none. `durations` says otherwise for steps by their ids.
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

  /// What happens when, a line for each start and end of a step and for the gate: `80ms open-store: success`. Lines of one
  /// instant come in the order of the file.
  public func timeline() throws -> [String] {
    let plan = try simulated()
    var lines: [(at: Int, text: String)] = []
    for (index, step) in workflow.steps.enumerated() {
      let reading = plan[StepIndex(index)]
      if let started = reading.startedAtNanoseconds { lines.append((started, "\(step.id) starts")) }
      if let ended = reading.endedAtNanoseconds {
        lines.append((ended, "\(step.id): \(reading.outcome.map(\.word) ?? "not finished")"))
      }
    }
    let gate = plan.gate
    if let opened = gate.openedAtNanoseconds, let outcome = gate.outcome {
      lines.append((opened, "the gate opens: \(outcome.word)"))
    }
    return lines.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
      .map { "\(DurationText.format(.nanoseconds($0.element.at))) \($0.element.text)" }
  }
}
