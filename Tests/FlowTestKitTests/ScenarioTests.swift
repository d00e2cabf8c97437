import FlowEngine
import FlowModel
import FlowTestKit
import Testing

struct `A scenario` {
  /// A launch with a gate and two steps. The second one runs on `main` and fails once.
  private var scenario: Scenario {
    var options = StepOptions()
    options.condition = "inputs.screen"
    options.queue = "main"
    options.retry = RetryPolicy(attempts: 2, delay: .milliseconds(10))
    var workflow = Workflow(
      name: "launch",
      steps: [
        Step(id: StepID("store")!, uses: "storage.open"),
        Step(id: StepID("screen")!, uses: "ui.present", needs: [0], options: options),
      ])
    workflow.gate = GateDeadline(min: .literal(.milliseconds(500)), max: .expression("${{ inputs.ceiling }}"))
    var scenario = Scenario(
      workflow,
      scripts: [
        .succeeds(after: .milliseconds(300)),
        StepScript([.fails(after: .milliseconds(20)), .succeeds(after: .milliseconds(40))]),
      ])
    scenario.inputs = ["screen": .boolean(true), "ceiling": .string("5s")]
    scenario.outsideEvents = [OutsideEvent("map.first-use", at: .seconds(1))]
    return scenario
  }

  @Test func `a scenario runs on the virtual clock without waiting`() throws {
    let plan = try scenario.simulated()
    #expect(plan[1].attempts == 2)
    #expect(plan[1].endedAtNanoseconds == 370_000_000)
    #expect(plan.gate.outcome == .ready)
    #expect(plan.gate.openedAtNanoseconds == 500_000_000)
    #expect(plan.timeOfEvent("map.first-use") == 1_000_000_000)
    #expect(plan.conclusion == .success)
  }

  @Test func `a scenario whose run never ends has no conclusion`() throws {
    var stuck = scenario
    stuck.scripts[0] = StepScript([.hangs])
    stuck.workflow.gate = nil
    let plan = try stuck.simulated()
    #expect(plan.conclusion == nil)
    #expect(plan.endedAt == nil)
  }

  @Test func `a scenario with a gate whose expression is not a duration is refused`() {
    var broken = scenario
    broken.inputs["ceiling"] = .string("5")
    #expect(throws: DurationText.DurationProblem.missingUnit("5")) { try broken.simulated() }
  }

  @Test func `a scenario is described by the workflow's YAML and its script`() {
    #expect(
      scenario.description == """
        name: launch
        deadline: { min: 500ms, max: "${{ inputs.ceiling }}" }
        steps:
          store:
            uses: storage.open
          screen:
            uses: ui.present
            needs: [store]
            if: inputs.screen
            retry: { attempts: 2, delay: 10ms, backoff: 1.0, max-delay: 30s, jitter: none }
            queue: main
        # inputs: ["screen=true", "ceiling=\\"5s\\""]
        # --event map.first-use@1s
        # store: succeeds after 300ms
        # screen: fails after 20ms; then succeeds after 40ms
        """)
  }
}
