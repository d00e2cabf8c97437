import FlowEngine
import FlowModel
import FlowTestKit
import Testing

/// Steps of `finally` run when all other steps have finished, whatever their outcomes.
struct `Steps in finally` {
  /// Returns `build` and its dependent `test`, a step that waits for an event that is never posted, and three steps in
  /// `finally`: `tidy`, its dependent `tell`, and `mourn`, which runs after a failure.
  private func scenario(_ build: StepScript, _ change: (inout Scenario) -> Void = { _ in }) -> Scenario {
    var waits = StepOptions()
    waits.after = ["never"]
    waits.blocking = false
    var final = StepOptions()
    final.isFinal = true
    var failing = final
    failing.condition = "failure()"
    var workflow = Workflow(
      name: "finally",
      steps: [
        Step(id: StepID("build")!, uses: "a.b"),
        Step(id: StepID("test")!, uses: "a.b", needs: [0]),
        Step(id: StepID("waits")!, uses: "a.b", options: waits),
        Step(id: StepID("tidy")!, uses: "a.b", needs: [1, 2], options: final),
        Step(id: StepID("tell")!, uses: "a.b", needs: [3], options: final),
        Step(id: StepID("mourn")!, uses: "a.b", needs: [1, 2], options: failing),
      ])
    workflow.events = [EventDeclaration("never")]
    var scenario = Scenario(
      workflow,
      scripts: [
        build, .succeeds(after: .milliseconds(10)), .succeeds(after: .milliseconds(1)),
        .succeeds(after: .milliseconds(100)), .succeeds(after: .milliseconds(50)), .succeeds(after: .milliseconds(5)),
      ])
    change(&scenario)
    return scenario
  }

  @Test func `steps in finally run after all others have finished, even if an event is never posted`() throws {
    let plan = try scenario(.succeeds(after: .milliseconds(30))).simulated()
    #expect(plan[2].reason == .eventNeverPosted)
    #expect(plan[3].startedAtNanoseconds == 40_000_000)
    #expect(plan[4].endedAtNanoseconds == 190_000_000)
    #expect(plan[5].reason == .condition)
    #expect(!plan[3].isBlocking && plan[3].isDeferred)
    #expect(plan.conclusion == .success)
  }

  @Test func `steps in finally run after a failure, and can check for it`() throws {
    let plan = try scenario(.fails(after: .milliseconds(30))).simulated()
    #expect(plan[1].reason == .upstreamFailed)
    #expect([3, 4, 5].allSatisfy { plan[$0].outcome == .success })
    #expect(plan.conclusion == .failure)
    #expect(plan.failedSteps == [0])
  }

  @Test func `steps in finally wait for a step whose only dependent was skipped early, and can check its outcome`()
    throws
  {
    var final = StepOptions()
    final.isFinal = true
    var bad = final
    bad.condition = "failure()"
    let workflow = Workflow(
      name: "finally",
      steps: [
        Step(id: StepID("a")!, uses: "a.b"),
        Step(id: StepID("b")!, uses: "a.b"),
        Step(id: StepID("c")!, uses: "a.b", needs: [0, 1]),
        Step(id: StepID("z")!, uses: "a.b", needs: [2], options: final),
        Step(id: StepID("bad")!, uses: "a.b", needs: [2], options: bad),
      ])
    let scenario = Scenario(
      workflow,
      scripts: [
        .fails(after: .milliseconds(1)), .fails(after: .seconds(1)), .succeeds(after: .zero), .succeeds(after: .zero),
        .succeeds(after: .zero),
      ])
    let plan = try scenario.simulated()
    #expect(plan[2].reason == .upstreamFailed && plan[2].endedAtNanoseconds == 1_000_000)
    #expect(plan[3].startedAtNanoseconds == 1_000_000_000 && plan[4].startedAtNanoseconds == 1_000_000_000)
    #expect(plan.failedSteps == [0, 1])
  }

  @Test func `steps in finally of a cancelled run have five seconds, and are then cancelled`() throws {
    let plan = try scenario(.succeeds(after: .seconds(60))) { $0.cancelledAt = .seconds(1) }.simulated()
    #expect(plan[0].outcome == .cancelled)
    #expect(plan[3].outcome == .success && plan[4].outcome == .success)
    #expect(plan[3].startedAtNanoseconds == 1_000_000_000)
    #expect(plan.conclusion == .cancelled)
    let long = try scenario(.succeeds(after: .seconds(60))) {
      $0.cancelledAt = .seconds(1)
      $0.scripts[3] = .succeeds(after: .seconds(9))
    }.simulated()
    #expect(long[3].outcome == .cancelled && long[3].endedAtNanoseconds == 6_000_000_000)
  }

  @Test(arguments: [(700, 1700), (nil, 2000)] as [(Int?, Int)])
  func `finally waits for a cancelled body, but not beyond its grace period`(response: Int?, start: Int) throws {
    let body = StepBehavior(
      duration: nil, respondsToCancellationAfter: response.map { .milliseconds($0) })
    let start = start * 1_000_000
    let cancelled = try scenario(StepScript([body])) { $0.cancelledAt = .seconds(1) }.simulated()
    #expect(cancelled[0].outcome == .cancelled && cancelled[0].endedAtNanoseconds == 1_000_000_000)
    #expect(cancelled[3].startedAtNanoseconds == start && cancelled[3].outcome == .success)
    // The gate and the other steps do not wait for the body.
    let late = try scenario(StepScript([body])) {
      $0.workflow.steps[0].options.deadline = StepDeadline(max: .seconds(1))
      $0.workflow.steps[0].options.isOptional = true
    }.simulated()
    #expect(late[0].outcome == .timedOut && late[1].startedAtNanoseconds == 1_000_000_000)
    #expect(late.gate.openedAtNanoseconds == 1_010_000_000)
    #expect(late[3].startedAtNanoseconds == start && late[5].startedAtNanoseconds == nil)
    let fanOut = try scenario(.succeeds(after: .zero)) {
      $0.workflow.steps[0].options.fanOut = FanOut(.items([]))
      $0.scripts[0].items = [.fails(after: .seconds(1)), StepScript([body])]
    }.simulated()
    #expect(fanOut[0].outcome == .failure && fanOut[0].endedAtNanoseconds == 1_000_000_000)
    #expect(fanOut[3].startedAtNanoseconds == start && fanOut[5].outcome == .success)
  }

  @Test func `cleanup steps start after all cancelled bodies have returned, and services stop last`()
    throws
  {
    var always = StepOptions()
    always.condition = "always()"
    let workflow = Workflow(
      name: "cleanup",
      steps: [
        Step(id: StepID("database")!, uses: "a.b"),
        Step(id: StepID("work")!, uses: "a.b", needs: [0]),
        Step(id: StepID("tidy")!, uses: "a.b", options: always),
        Step(id: StepID("drop")!, uses: "a.b", needs: [2], options: always),
      ])
    var scenario = Scenario(
      workflow,
      scripts: [
        StepScript(
          [StepBehavior(duration: nil, respondsToCancellationAfter: .milliseconds(300), readyAfter: .zero)],
          isService: true),
        StepScript([StepBehavior(duration: nil, respondsToCancellationAfter: .milliseconds(700))]),
        .succeeds(after: .milliseconds(20)), .succeeds(after: .milliseconds(5)),
      ])
    scenario.cancelledAt = .milliseconds(30)
    let plan = try scenario.simulated()
    #expect(plan[2].endedAtNanoseconds == 20_000_000)
    #expect(plan[3].startedAtNanoseconds == 20_000_000)
    scenario.cancelledAt = .milliseconds(10)
    let early = try scenario.simulated()
    // The step was running when the run was cancelled, so it continues.
    #expect(early[2].endedAtNanoseconds == 20_000_000 && early[2].outcome == .success)
    #expect(early[3].startedAtNanoseconds == 710_000_000 && early[3].outcome == .success)
    #expect(early.endedAt == 1_015_000_000)
    scenario.workflow.steps[3].options.condition = nil
    #expect(try scenario.simulated().endedAt == 1_010_000_000)
  }

  @Test func `steps in finally continue when the run is cancelled while they run`() throws {
    let plan = try scenario(.succeeds(after: .milliseconds(30))) { $0.cancelledAt = .milliseconds(60) }.simulated()
    #expect(plan[3].outcome == .success && plan[3].endedAtNanoseconds == 140_000_000)
    #expect(plan[4].outcome == .success)
    #expect(plan.conclusion == .cancelled)
  }

  @Test func `a step in finally that fails also fails the run, but its dependent in finally still runs`() throws {
    let plan = try scenario(.succeeds(after: .milliseconds(30))) { $0.scripts[3] = .fails(after: .milliseconds(1)) }
      .simulated()
    #expect(plan[3].outcome == .failure && plan[4].outcome == .success)
    #expect(plan.conclusion == .failure)
  }

  @Test func `steps in finally run after the run has timed out, and can check that it has failed`() throws {
    let plan = try scenario(.succeeds(after: .seconds(60))) { $0.workflow.timeout = .seconds(2) }.simulated()
    #expect(plan[0].outcome == .cancelled && plan[0].endedAtNanoseconds == 2_000_000_000)
    #expect(plan[3].outcome == .success)
    #expect(plan[5].outcome == .success && plan.status(of: 5).isSuperset(of: [.failure, .cancelled]))
    #expect(plan.conclusion == .failure)
    #expect(plan.gate.outcome == .failed && plan.gate.openedAtNanoseconds == 2_000_000_000)
    // A run that was cancelled before its timeout stays cancelled, even if its cleanup takes longer than the timeout.
    let cancelled = try scenario(.succeeds(after: .seconds(60))) {
      $0.workflow.timeout = .seconds(2)
      $0.cancelledAt = .milliseconds(1_950)
    }.simulated()
    #expect(cancelled.conclusion == .cancelled && cancelled[5].reason == .runCancelled)
  }

  @Test func `a run with steps in finally succeeds if it ends before its timeout`() throws {
    let plan = try scenario(.succeeds(after: .milliseconds(30))) {
      $0.workflow.timeout = .seconds(2)
      $0.outsideEvents = [OutsideEvent("never", at: .milliseconds(1))]
    }.simulated()
    #expect(plan.conclusion == .success)
  }
}
