import FlowInsight
import FlowModel
import FlowTestKit
import TestSupport
import Testing

/// The critical path to the gate, in random runs and in small ones.
struct `The critical path` {
  @Test(.timeLimit(.minutes(10)), arguments: 0..<10)
  func `the critical path assigns a cause to every nanosecond of any run`(block: Int) throws {
    for seed in TestExtent.seeds(1_000, of: 5_000, release: 5_000) where seed % 10 == UInt64(block) {
      let (course, _) = try RandomScenario.scenario(seed: seed).course()
      let criticalPath = CriticalPath(course)
      #expect(criticalPath.causes.values.reduce(0, +) == criticalPath.end, "FLOWRUN_SEED=\(seed)")
      var time = 0
      for link in criticalPath.links {
        #expect(link.start == time && link.end >= link.start, "FLOWRUN_SEED=\(seed)")
        time = link.end
      }
      #expect(time == criticalPath.end, "FLOWRUN_SEED=\(seed)")
      if course.outcome == .ready, course.shape.steps.contains(where: \.isBlocking), let ready = course.readyAt {
        #expect(criticalPath.end == max(0, ready), "FLOWRUN_SEED=\(seed)")
      }
    }
  }

  @Test func `the critical path leads from a waiting step to the step that posts its event`() throws {
    var workflow = Workflow(name: "events", steps: [])
    workflow.events = [EventDeclaration("door")]
    var aside = StepOptions()
    aside.blocking = false
    var waits = StepOptions()
    waits.after = ["door"]
    workflow.steps = [
      Step(id: StepID("slow")!, uses: "flow.noop", options: aside), Step(id: StepID("quick")!, uses: "flow.noop"),
      Step(id: StepID("show")!, uses: "flow.noop", needs: [1], options: waits),
    ]
    let slow = StepScript([
      StepBehavior(
        duration: .milliseconds(300), posts: [ScriptedPost(after: .milliseconds(300), "door")])
    ])
    let scenario = Scenario(
      workflow, scripts: [slow, .succeeds(after: .milliseconds(10)), .succeeds(after: .milliseconds(51))])
    let links = CriticalPath(try scenario.course().course).links
    #expect(
      links == [
        PathSegment(step: 0, cause: .run, start: 0, end: 300_000_000),
        PathSegment(step: 2, cause: .event, start: 300_000_000, end: 300_000_000),
        PathSegment(step: 2, cause: .run, start: 300_000_000, end: 351_000_000),
      ])
  }

  @Test func `the critical path includes waits for an occupied queue, pauses between attempts and a minimum`()
    throws
  {
    var main = StepOptions()
    main.queue = "main"
    var tried = main
    tried.retry = RetryPolicy(attempts: 2, delay: .milliseconds(20))
    tried.deadline = StepDeadline(min: .milliseconds(100))
    let workflow = Workflow(
      name: "queue",
      steps: [
        Step(id: StepID("first")!, uses: "flow.noop", options: main),
        Step(id: StepID("second")!, uses: "flow.noop", options: tried),
      ])
    let second = StepScript([.fails(after: .milliseconds(10)), .succeeds(after: .milliseconds(30))])
    let scenario = Scenario(workflow, scripts: [.succeeds(after: .milliseconds(40)), second])
    let links = CriticalPath(try scenario.course().course).links
    #expect(
      links.map { "\($0.step!) \($0.cause.rawValue) \($0.start / 1_000_000)-\($0.end / 1_000_000)" } == [
        "0 run 0-40", "1 queue 40-40", "1 run 40-50", "1 retry 50-70", "1 run 70-100", "1 step minimum 100-140",
      ])
  }

  private static func described(_ links: [PathSegment]) -> [String] {
    links.map { "\($0.step!) \($0.cause.rawValue) \($0.start / 1_000_000)-\($0.end / 1_000_000)" }
  }

  @Test func `the wait for a step's minimum is part of the critical path, and counts as the step's slack`() throws {
    var held = StepOptions()
    held.deadline = StepDeadline(min: .milliseconds(400))
    let workflow = Workflow(
      name: "minimum",
      steps: [
        Step(id: StepID("first")!, uses: "flow.noop", options: held),
        Step(id: StepID("second")!, uses: "flow.noop", needs: [0]),
      ])
    let scenario = Scenario(
      workflow, scripts: [.succeeds(after: .milliseconds(100)), .succeeds(after: .milliseconds(50))])
    let (course, plan) = try scenario.course()
    #expect(
      Self.described(CriticalPath(course).links) == ["0 run 0-100", "0 step minimum 100-400", "1 run 400-450"])
    // The report contains the times that the plan recorded.
    #expect(plan.attemptTimes(of: 0).map(\.endedAt) == [100_000_000])
    let playback = try #require(CoursePlayback(ReportedRun(course, workflow: "minimum")))
    #expect(playback.ready == 450_000_000)
    #expect(playback.slack(of: 0, limit: 1_000_000_000) == 300_000_000)
    #expect(UncontendedSlack(course, readyAt: 450_000_000)?.slack == [300_000_000, 0])
    // A faster body would not have made the gate ready earlier.
    #expect(playback.readyAt([0: -50_000_000]) == 450_000_000)
  }

  @Test func `a step upstream of one with a minimum has no slack`() throws {
    var held = StepOptions()
    held.deadline = StepDeadline(min: .milliseconds(300))
    let workflow = Workflow(
      name: "minimum",
      steps: [
        Step(id: StepID("a")!, uses: "flow.noop"), Step(id: StepID("b")!, uses: "flow.noop", needs: [0], options: held),
      ])
    let scenario = Scenario(
      workflow, scripts: [.succeeds(after: .milliseconds(100)), .succeeds(after: .milliseconds(50))])
    let (course, _) = try scenario.course()
    let playback = try #require(CoursePlayback(ReportedRun(course, workflow: "minimum")))
    #expect(playback.ready == 400_000_000)
    #expect([0, 1].map { playback.slack(of: $0, limit: 1_000_000_000) } == [0, 250_000_000])
    #expect(UncontendedSlack(course, readyAt: 400_000_000)?.slack == [0, 250_000_000])
  }

  @Test func `the critical path includes the step whose body occupied the slot, even if the step ended later`() throws {
    var held = StepOptions()
    held.deadline = StepDeadline(min: .milliseconds(400))
    var workflow = Workflow(
      name: "one at a time",
      steps: [
        Step(id: StepID("held")!, uses: "flow.noop", options: held), Step(id: StepID("last")!, uses: "flow.noop"),
      ])
    workflow.concurrency = 1
    let scenario = Scenario(
      workflow, scripts: [.succeeds(after: .milliseconds(100)), .succeeds(after: .milliseconds(500))])
    let links = CriticalPath(try scenario.course().course).links
    #expect(Self.described(links) == ["0 run 0-100", "1 queue 100-100", "1 run 100-600"])
  }

  @Test func `the critical path of a failed run without a gate ends with the run`() throws {
    let workflow = Workflow(
      name: "failed",
      steps: [
        Step(id: StepID("fails")!, uses: "flow.noop"), Step(id: StepID("long")!, uses: "flow.noop"),
        Step(id: StepID("after")!, uses: "flow.noop", needs: [1]),
      ])
    let scripts: [StepScript] = [
      StepScript([.fails(after: .milliseconds(50))]), .succeeds(after: .milliseconds(300)),
      .succeeds(after: .milliseconds(100)),
    ]
    let criticalPath = CriticalPath(try Scenario(workflow, scripts: scripts).course().course)
    #expect(Self.described(criticalPath.links) == ["1 run 0-300", "2 run 300-400"])
    // With a gate, the failure has opened it.
    var gated = workflow
    gated.gate = GateDeadline(max: .literal(.seconds(1)))
    let opened = CriticalPath(try Scenario(gated, scripts: scripts).course().course)
    #expect(Self.described(opened.links) == ["0 run 0-50"])
  }

  @Test func `the critical path of a gate that timed out ends with the late step at the maximum`() throws {
    var workflow = Workflow(
      name: "late",
      steps: [
        Step(id: StepID("a")!, uses: "flow.noop"), Step(id: StepID("b")!, uses: "flow.noop", needs: [0]),
        Step(id: StepID("c")!, uses: "flow.noop"),
      ])
    workflow.gate = GateDeadline(max: .literal(.milliseconds(100)))
    let scenario = Scenario(
      workflow,
      scripts: [
        .succeeds(after: .milliseconds(30)), .succeeds(after: .milliseconds(500)), .succeeds(after: .milliseconds(90)),
      ])
    let criticalPath = CriticalPath(try scenario.course().course)
    #expect(criticalPath.end == 100_000_000)
    #expect(criticalPath.links.map(\.step) == [0, 1] && criticalPath.causes == [.run: 100_000_000])
  }
}

/// Compares each step's slack with the oracle, which shares no code with the computation of slack.
struct `Slack` {
  /// Returns a scenario of a few steps with dependencies, the main queue, events and deferral. Times are whole
  /// milliseconds.
  private static func scenario(seed: UInt64) -> Scenario {
    var random = SeededGenerator(seed: seed)
    var workflow = Workflow(name: "slack", steps: [])
    workflow.events = [EventDeclaration("door")]
    var scripts: [StepScript] = []
    let count = Int.random(in: 2...6, using: &random)
    let poster = random.chance(40) ? Int.random(in: 0..<count - 1, using: &random) : nil
    for index in 0..<count {
      var options = StepOptions()
      if random.chance(35) { options.queue = "main" }
      if random.chance(25) { options.blocking = false }
      if let poster, index > poster, random.chance(40) { options.after = ["door"] }
      let needs = (0..<index).filter { _ in random.chance(35) }.map { StepIndex($0) }
      if options.blocking == false, random.chance(30) { options.deferral = .afterGate }
      let deferred = needs.contains { workflow.steps[Int($0)].options.deferral != .never }
      if deferred { options.deferral = .afterGate }
      if deferred { options.blocking = nil }
      workflow.steps.append(Step(id: StepID("s\(index)")!, uses: "flow.noop", needs: needs[...], options: options))
      let length = Duration.milliseconds(Int.random(in: 1...9, using: &random))
      let posts = index == poster ? [ScriptedPost(after: length, "door")] : []
      scripts.append(StepScript([StepBehavior(duration: length, posts: posts)]))
    }
    return Scenario(workflow, scripts: scripts)
  }

  private static func ready(_ scenario: Scenario, _ step: Int, longerBy extra: Int) -> Int? {
    var longer = scenario
    let length = longer.scripts[step].attempts[0].duration ?? .zero
    longer.scripts[step].attempts[0].duration = length + .nanoseconds(extra)
    for post in longer.scripts[step].attempts[0].posts.indices {
      longer.scripts[step].attempts[0].posts[post].after = length + .nanoseconds(extra)
    }
    return Oracle.record(of: longer).gate.readyAt
  }

  @Test(.timeLimit(.minutes(10)))
  func `the slack of a step is how long the step can be delayed without delaying the gate`() throws {
    var checked = 0
    var queued = 0
    var uncontended = 0
    let seeds = TestExtent.seeds(300, of: 1_500, release: 1_500)
    for seed in seeds {
      let scenario = Self.scenario(seed: seed)
      let (course, _) = try scenario.course()
      // The playback starts steps in the order in which they began, so the two can be compared only if that is file
      // order.
      let starts = course.steps.map { $0.startedAt ?? .max }
      guard starts == starts.sorted(), let base = course.readyAt, base > 0 else { continue }
      let playback = try #require(CoursePlayback(ReportedRun(course, workflow: "slack")))
      #expect(playback.ready == base, "seed \(seed)")
      let atOnce = UncontendedSlack(course, readyAt: base)
      if atOnce != nil { uncontended += 1 }
      for step in course.steps.indices where course.steps[step].startedAt != nil {
        if let slack = playback.slack(of: step, limit: 1_000_000_000) {
          let kept = try #require(Self.ready(scenario, step, longerBy: slack))
          let moved = try #require(Self.ready(scenario, step, longerBy: slack + 1))
          #expect(kept <= base && moved > base, "seed \(seed), step \(step): \(slack)")
        } else {
          #expect(Self.ready(scenario, step, longerBy: 1_000_000_000) == base, "seed \(seed), step \(step)")
        }
        if let atOnce { #expect(atOnce.slack[step] == playback.slack(of: step, limit: 1_000_000_000) ?? .max) }
        checked += 1
      }
      if CriticalPath(course).links.contains(where: { $0.cause == .queue }) { queued += 1 }
    }
    let share = seeds.count / 300
    #expect(checked > 200 * share && queued > 4 * share && uncontended > 20 * share)
  }
}
