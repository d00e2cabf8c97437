import FlowEngine
import FlowModel
import FlowTestKit
import Testing

/// All posts of a repeating event count, although steps that wait for it need only the first.
struct `A repeating event` {
  @Test func `every post of a repeating event is reported, and later steps do not wait for another post`() throws {
    var run = ScenarioBuilder()
    run.with { $0.workflow.events = [EventDeclaration("again", repeats: true), EventDeclaration("once")] }
    run.step("slow", takes: 100)
    run.step("waiter", needs: ["slow"], takes: 10) { $0.after = ["again"] }
    run.step("poster", .posting("again", takes: 30))
    for moment in [20, 50, 500] { run.event("again", at: moment) }
    for moment in [20, 50] { run.event("once", at: moment) }
    let record = try simulate(run)
    #expect(record.span("waiter") == "100..110")
    #expect(record.posts["again"] == [20, 30, 50, 500].map { $0 * 1_000_000 })
    #expect(record.posts["once"] == nil && record.events["once"] == 20_000_000)
    #expect(record.events["again"] == 20_000_000)
  }

  @Test func `posts of a repeating event are still counted in a cancelled run, but no longer reported`() throws {
    let graph = try WorkflowGraph(Walk.workflow(needs: [[]], waiter: 0))
    var plan = Plan(graph: graph, outsideSourceIsOpen: true)
    plan.apply(.activated(Resolution()), at: 0)
    plan.apply(.started(prewarm: false), at: 0)
    plan.apply(.posted(Walk.event), at: 1)
    _ = plan.takeEffects()
    #expect(plan.startNext(at: 1) != nil)
    plan.apply(.cancelled, at: 2)
    plan.apply(.posted(Walk.event), at: 3)
    #expect(!plan.takeEffects().contains { if case .posted = $0 { true } else { false } })
    #expect(plan.posts(of: Walk.event).map(\.number) == [1, 2])
    #expect(plan.problems().isEmpty)
  }

  @Test(arguments: 1...3)
  func `every post of a repeating event is recorded and reported, whenever steps end`(steps: Int) throws {
    for needs in SmallGraphs.all(steps: steps) {
      for waiter in 0..<steps { follow(try Walk(needs: needs, waiter: waiter)) }
    }
  }

  private func follow(_ walk: Walk) {
    let problems = walk.plan.problems()
    if !problems.isEmpty { Issue.record("needs \(walk.needs), done \(walk.done): \(problems)") }
    if walk.plan.endedAt != nil {
      let problems = walk.problemsAtTheEnd
      if !problems.isEmpty { Issue.record("needs \(walk.needs), done \(walk.done): \(problems)") }
      return
    }
    if walk.posted < Walk.posts {
      var next = walk
      next.post()
      follow(next)
    }
    for step in walk.running {
      var next = walk
      next.end(step)
      follow(next)
    }
    if walk.posted == Walk.posts, walk.running.isEmpty { Issue.record("\(walk.done): nothing goes on") }
  }

  /// One order of events. One event occurs in each nanosecond.
  private struct Walk {
    static let event = "again"
    static let posts = 3

    var plan: Plan
    let needs: [[Int]]
    let waiter: Int
    var running: [Int] = []
    var posted = 0
    /// The events so far: the step that ended, or nil for a post.
    var done: [Int?] = []
    var told: [EventPost] = []

    /// Returns a workflow with these dependencies, in which the step `waiter` also waits for the event.
    static func workflow(needs: [[Int]], waiter: Int) -> Workflow {
      var workflow = Workflow(name: "small", steps: [])
      workflow.events = [EventDeclaration(event, repeats: true)]
      for (index, needs) in needs.enumerated() {
        var options = StepOptions()
        if index == waiter { options.after = [event] }
        let indices = needs.map { StepIndex($0) }
        workflow.steps.append(
          Step(id: StepID(unchecked: "s\(index)"), uses: "script.step", needs: indices[...], options: options))
      }
      return workflow
    }

    init(needs: [[Int]], waiter: Int) throws {
      self.needs = needs
      self.waiter = waiter
      let graph = try WorkflowGraph(Self.workflow(needs: needs, waiter: waiter))
      plan = Plan(graph: graph, announcedEvents: Self.posts, detail: .none)
      plan.apply(.activated(Resolution()), at: 0)
      plan.apply(.started(prewarm: false), at: 0)
      drain()
    }

    mutating func post() {
      posted += 1
      done.append(nil)
      plan.apply(.posted(Self.event), at: done.count)
      plan.apply(.announcedEventDone, at: done.count)
      drain()
    }

    mutating func end(_ step: Int) {
      done.append(step)
      running.removeAll { $0 == step }
      plan.apply(.ended(StepIndex(step), attempt: 1, .success), at: done.count)
      drain()
    }

    private mutating func drain() {
      let now = done.count
      while plan.hasEffects {
        for effect in plan.takeEffects() {
          switch effect {
          case .gateDecided: plan.apply(.gateOpened(OpenedGate(.ready, atNanoseconds: now)), at: now)
          case .posted(let post): told.append(post)
          default: break
          }
        }
      }
      while let (step, _) = plan.startNext(at: now) { running.append(Int(step)) }
    }

    /// The differences between the plan and the results that follow from the events.
    var problemsAtTheEnd: [String] {
      var problems: [String] = []
      let times = done.indices.filter { done[$0] == nil }.map { $0 + 1 }
      let expected = times.enumerated().map { EventPost(event: Self.event, number: $0 + 1, atNanoseconds: $1) }
      if told != expected { problems.append("told \(told)") }
      if plan.posts(of: Self.event) != expected { problems.append("posts \(plan.posts(of: Self.event))") }
      for step in needs.indices {
        let ends = needs[step].map { need in (done.firstIndex { $0 == need } ?? -2) + 1 }
        let start = (ends + (step == waiter ? [times.first ?? -1] : [])).max() ?? 0
        if plan[StepIndex(step)].startedAtNanoseconds != start { problems.append("start of s\(step)") }
      }
      if plan.conclusion != .success { problems.append("conclusion") }
      return problems
    }
  }
}
