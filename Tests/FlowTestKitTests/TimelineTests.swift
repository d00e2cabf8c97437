import FlowModel
import FlowTestKit
import Testing

struct TimelineTests {
  private func launch(_ durations: [String: Duration] = [:]) throws -> Scenario {
    var slow = Step(id: StepID(unchecked: "open"), uses: "flow.noop")
    slow.options.estimate = Estimate(low: .milliseconds(20), high: .milliseconds(60))
    let after = Step(id: StepID(unchecked: "show"), uses: "flow.noop", needs: [0])
    return Scenario(try WorkflowGraph(Workflow(name: "launch", steps: [slow, after])), durations: durations)
  }

  @Test func `in a simulated launch, steps take the maximum of their estimates`() throws {
    #expect(
      try launch().timeline() == [
        "0s open starts", "60ms open: success", "60ms show starts", "60ms show: success", "60ms the gate opens: ready",
      ])
  }

  @Test func `in a simulated launch, a condition can read the outcomes and scripted outputs of steps`() throws {
    var options = StepOptions()
    options.condition = "steps.open.outcome == 'success' && steps.open.outputs.count > 1"
    let open = Step(id: StepID(unchecked: "open"), uses: "flow.noop")
    let many = Step(id: StepID(unchecked: "many"), uses: "flow.noop", needs: [0], options: options)
    var launch = Scenario(try WorkflowGraph(Workflow(name: "launch", steps: [open, many])))
    #expect(try launch.simulated()[1].outcome == .skipped)
    launch.outputs = ["open": ["count": 2]]
    #expect(try launch.simulated()[1].outcome == .success)
  }

  @Test func `in a simulated launch, a slower step delays the gate`() throws {
    let gate = try launch(["show": .milliseconds(30)]).simulated().gate
    #expect(gate.openedAtNanoseconds == 90_000_000)
  }
}
