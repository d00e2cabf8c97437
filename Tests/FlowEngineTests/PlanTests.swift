import FlowEngine
import FlowModel
import FlowTestKit
import Testing

/// The plan receives events on the virtual clock, and its times are exact.
struct PlanTests {
  private let second = 1_000_000_000

  private func plan(_ steps: [Step]) throws -> Plan {
    try Plan(graph: WorkflowGraph(Workflow(name: "test", steps: steps)))
  }

  private func launch(min: Int = 0, max: Int) -> Resolution {
    Resolution(gate: GateBounds(minimumNanoseconds: min, maximumNanoseconds: max))
  }

  @Test func `the gate of a launch that is ready at 0.3 s opens exactly at its minimum of 2 s (L34)`() throws {
    var simulator = Simulator(try plan([Step("a")])) { _, _ in
      Simulator.Body(endsAfterNanoseconds: 300_000_000)
    }
    let plan = simulator.run(activation: launch(min: 2 * second, max: 5 * second))
    #expect(plan.gate.outcome == .ready)
    #expect(plan.gate.readyAtNanoseconds == 300_000_000)
    #expect(plan.gate.openedAtNanoseconds == 2 * second)
  }

  @Test func `the gate of a launch that is not ready in time opens exactly at its maximum of 5 s (L35)`() throws {
    var simulator = Simulator(try plan([Step("a")])) { _, _ in
      Simulator.Body(endsAfterNanoseconds: 9 * second)
    }
    let plan = simulator.run(activation: launch(min: 2 * second, max: 5 * second))
    #expect(plan.gate.outcome == .timedOut)
    #expect(plan.gate.openedAtNanoseconds == 5 * second)
    #expect(plan.gate.late == [0])
    #expect(plan[0].outcome == .success)
    #expect(plan.conclusion == .partial)
  }

  @Test func `a step that ends exactly at the maximum is not late`() throws {
    var simulator = Simulator(try plan([Step("a")])) { _, _ in
      Simulator.Body(endsAfterNanoseconds: 1_000_000_000)
    }
    let plan = simulator.run(activation: launch(max: second))
    #expect(plan.gate.outcome == .ready)
    #expect(plan.gate.late.isEmpty)
  }

  /// Returns a launch whose only step ends at `end`, and its gate. The gate's clock has reported the minimum, but not
  /// the maximum.
  private func decided(at end: Int, _ ending: Ending, max: Int) throws -> (plan: Plan, gate: GateState) {
    var plan = try plan([Step("a")])
    plan.apply(.activated(launch(max: max)), at: 0)
    plan.apply(.started(prewarm: false), at: 0)
    _ = plan.startNext(at: 0)
    plan.apply(.ended(0, attempt: 1, ending), at: end)
    var gate = GateState.closed.after(.minimumReached)
    for effect in plan.takeEffects() {
      if case .gateDecided(let decision) = effect { gate = gate.after(.decided(decision)) }
    }
    if let outcome = gate.outcome { plan.apply(.gateOpened(OpenedGate(outcome, atNanoseconds: end)), at: end) }
    return (plan, gate)
  }

  @Test func `if a step ends after the maximum, the gate times out, even if its clock has not reported it yet (L35)`()
    throws
  {
    for ending in [Ending.success, .failure(StepFailure(code: "x", message: "x"), isRetryable: false)] {
      let (plan, gate) = try decided(at: second + 600_000_000, ending, max: second)
      #expect(gate.outcome == .timedOut)
      #expect(plan.gate.outcome == .timedOut)
      #expect(plan.gate.openedAtNanoseconds == second + 600_000_000)
      #expect(plan.gate.late == [0])
      #expect(plan.gate.failed.isEmpty)
      #expect(plan[0].endedAtNanoseconds == second + 600_000_000)
    }
    #expect(try decided(at: second, .success, max: second).plan.gate.outcome == .ready)
    #expect(
      try decided(at: second, .failure(StepFailure(code: "x", message: "x"), isRetryable: false), max: second).plan.gate
        .outcome == .failed)
  }

  @Test func `a step whose end is applied after the clock has opened the gate counts as late`() throws {
    for ending in [Ending.success, .failure(StepFailure(code: "x", message: "x"), isRetryable: false)] {
      var plan = try plan([Step("a")])
      plan.apply(.activated(launch(max: second)), at: 0)
      plan.apply(.started(prewarm: false), at: 0)
      _ = plan.startNext(at: 0)
      plan.apply(.ended(0, attempt: 1, ending), at: second - 5)
      plan.apply(.gateOpened(OpenedGate(.timedOut, atNanoseconds: second)), at: second + 9)
      #expect(plan.gate.late == [0])
      #expect(plan.gate.failed.isEmpty)
      #expect(plan[0].endedAtNanoseconds! > second)
      #expect(plan.gate.readyAtNanoseconds.map { $0 > second } ?? true)
    }
  }

  @Test func `if the first of 100,000 steps in a chain fails, the others are skipped without recursion`() throws {
    let steps = (0..<100_000).map {
      Step(id: StepID(unchecked: "s\($0)"), uses: "flow.noop", needs: $0 == 0 ? [] : [StepIndex($0 - 1)])
    }
    var simulator = Simulator(try plan(steps)) { _, _ in
      Simulator.Body(
        endsAfterNanoseconds: 1,
        ending: .failure(StepFailure(code: "x", message: "x"), isRetryable: false, retryAfterNanoseconds: 0))
    }
    let plan = simulator.run(activation: Resolution())
    #expect(plan[99_999].reason == .upstreamFailed)
    #expect(plan.conclusion == .failure)
  }

  @Test func `waiting steps start in this order: blocking steps first, then by the longest path, then in file order`()
    throws
  {
    var workflow = Workflow(
      name: "test",
      steps: [
        Step("late") { $0.blocking = false },
        Step("short") { $0.estimate = Estimate(low: .milliseconds(1), high: .milliseconds(1)) },
        Step("long") { $0.estimate = Estimate(low: .milliseconds(9), high: .milliseconds(9)) },
        Step("plain"),
      ])
    workflow.concurrency = 1
    var simulator = Simulator(Plan(graph: try WorkflowGraph(workflow))) { _, _ in
      Simulator.Body(endsAfterNanoseconds: 10)
    }
    let plan = simulator.run(activation: Resolution())
    let order = (0..<4).sorted { plan[StepIndex($0)].startedAtNanoseconds! < plan[StepIndex($1)].startedAtNanoseconds! }
    #expect(order == [2, 1, 3, 0])
  }
}
