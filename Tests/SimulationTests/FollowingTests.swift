import FlowEngine
import FlowModel
import FlowTestKit
import Testing

struct `A step that runs for each post` {
  private func launch(max maximum: Int? = nil) -> ScenarioBuilder {
    var run = ScenarioBuilder(max: maximum)
    run.with { $0.workflow.events = ["saved", "sent"].map { EventDeclaration($0, repeats: true) } }
    return run
  }

  private func items(_ record: RunRecord, _ id: String) -> [String] {
    record[id].items.map { "\(RunRecord.text($0.startedAt))..\(RunRecord.text($0.endedAt))" }
  }

  private func following(
    _ event: String, takes: Int, parallel: Int? = nil
  ) -> (StepScript, (inout StepOptions) -> Void) {
    var script = StepScript([.succeeds(after: .zero)])
    script.items = [.succeeds(after: .milliseconds(takes))]
    return (
      script,
      {
        $0.fanOut = FanOut(.posts(of: event))
        $0.fanOut?.parallel = parallel
      }
    )
  }

  @Test func `a step that runs for each post handles posts made before its start and by the last step`() throws {
    var run = launch()
    run.step("first", takes: 100)
    let (script, change) = following("saved", takes: 10)
    run.step("each", needs: ["first"], script, change)
    run.step("last", .posting("saved", takes: 300))
    run.step("after", needs: ["each"], takes: 5)
    for moment in [20, 50, 150] { run.event("saved", at: moment) }
    let record = try simulate(run)
    #expect(items(record, "each") == ["100..110", "100..110", "150..160", "300..310"])
    #expect(record.span("each") == "100..310")
    #expect(record.span("after") == "310..315")
  }

  @Test func `a step that runs for each post succeeds even if nothing is posted`() throws {
    var run = launch()
    let (script, change) = following("saved", takes: 10)
    run.step("each", script, change)
    run.step("work", takes: 50)
    let record = try simulate(run)
    #expect(record.span("each") == "50..50" && record.end("each") == "success")
    #expect(record["each"].items.isEmpty)
  }

  @Test func `a step that runs for each post ends before waiting steps are skipped, because its end may cause a post`()
    throws
  {
    var run = launch()
    let (script, change) = following("saved", takes: 10)
    run.step("each", script, change)
    run.step("tell", needs: ["each"], .posting("sent", takes: 10))
    run.step("waiter", takes: 5) { $0.after = ["sent"] }
    run.event("saved", at: 20)
    let record = try simulate(run)
    #expect(record.span("each") == "20..30" && record.span("waiter") == "40..45")
  }

  @Test func `a step that runs for each post continues while a dependent of another such step can post`() throws {
    var run = launch()
    let (second, change) = following("sent", takes: 10)
    run.step("second", second, change)
    let (first, changeFirst) = following("saved", takes: 10)
    run.step("first", first, changeFirst)
    run.step("tell", needs: ["first"], .posting("sent", takes: 10))
    run.event("saved", at: 20)
    let record = try simulate(run)
    #expect(record.span("first") == "20..30")
    #expect(items(record, "second") == ["40..50"] && record.span("second") == "40..50")
  }

  @Test func `the gate does not wait for a step that runs for each post when only deferred steps can post`() throws {
    var run = launch(max: 1000)
    let (script, change) = following("saved", takes: 10)
    run.step("each", script, change)
    run.step("work", .posting("saved", takes: 50))
    run.step("late", .posting("saved", takes: 10)) { $0.deferral = .afterGate }
    let record = try simulate(run)
    #expect(record.opening == "ready at 60" && items(record, "each") == ["50..60"])
  }

  @Test func `a step that runs for each post continues while a service that may post is running`() throws {
    var run = launch()
    let (script, change) = following("saved", takes: 10)
    run.step("each", script, change)
    var service = StepBehavior.ready(after: .milliseconds(5))
    service.posts = [ScriptedPost(after: .milliseconds(500), "saved")]
    service.duration = .milliseconds(700)
    run.step("service", StepScript([service], isService: true))
    let record = try simulate(run)
    #expect(items(record, "each") == ["500..510"] && record.span("each") == "500..700")
  }

  @Test func `a step that runs for each post ends when the run is cancelled, even while it waits for a post`() throws {
    var run = launch()
    let (script, change) = following("saved", takes: 10, parallel: 1)
    run.step("each", script, change)
    run.step("work", takes: 500)
    for moment in [20, 100, 100] { run.event("saved", at: moment) }
    run.cancel(at: 105)
    let record = try simulate(run)
    #expect(record.end("each") == "cancelled")
    #expect(record["each"].items.map(\.outcome) == ["success", "cancelled", "skipped"])
    run.cancel(at: 60)
    #expect(try simulate(run).end("each") == "cancelled")
  }

  @Test func `a step runs for at most 10,000 posts, and fails if there are more`() throws {
    var workflow = Workflow(name: "many", steps: [])
    workflow.events = [EventDeclaration("saved", repeats: true)]
    var options = StepOptions()
    options.fanOut = FanOut(.posts(of: "saved"))
    workflow.steps = [Step(id: StepID(unchecked: "each"), uses: "script.step", options: options)]
    let graph = try WorkflowGraph(workflow)
    for (count, outcome) in [(Limits.events, Outcome.success), (Limits.events + 1, .failure)] {
      let plan = Plan(graph: graph, outsideSourceIsOpen: true, detail: .none)
      var simulator = Simulator(plan) { _, _ in Simulator.Body(endsAfterNanoseconds: 1) }
      for number in 0..<count { simulator.schedule(.posted("saved"), atNanoseconds: number) }
      simulator.schedule(.outsideSourceClosed, atNanoseconds: count)
      let ended = simulator.run(activation: Resolution())
      #expect(ended[0].outcome == outcome && ended.items(of: 0).count == Limits.events)
      #expect(ended[0].failure?.code == (outcome == .failure ? "too-many-items" : nil))
      #expect(ended.problems().isEmpty)
    }
  }

  @Test(arguments: 1...2, [true, false])
  func `a step that runs for each post ends as expected in any order of posts and ends, even if cancelled`(
    width: Int, isFailFast: Bool
  ) throws {
    follow(try Walk(width: width, isFailFast: isFailFast))
  }

  private func follow(_ walk: Walk) {
    let problems = walk.plan.problems() + walk.problemsAfterCancel
    if !problems.isEmpty { Issue.record("\(walk.done): \(problems)") }
    if walk.plan.endedAt != nil {
      let problems = walk.problemsAtTheEnd
      if !problems.isEmpty { Issue.record("\(walk.done): \(problems)") }
      return
    }
    if walk.posted < Walk.posts {
      var next = walk
      next.post()
      follow(next)
    }
    for body in walk.running {
      for isSuccess in [true, false] where isSuccess || body > Walk.follower {
        var next = walk
        next.end(body, isSuccess)
        follow(next)
      }
    }
    if walk.posted == Walk.posts, walk.running.isEmpty { Issue.record("\(walk.done): nothing goes on") }
  }
}

/// One path through a step that runs for posts and its dependent. One event occurs at each instant.
private struct Walk {
  static let posts = 3
  static let fanOut: StepIndex = 0
  static let follower: StepIndex = 1

  enum Happening {
    case post
    case end(StepIndex, Bool)
  }

  var plan: Plan
  let isFailFast: Bool
  var running: [StepIndex] = []
  var posted = 0
  var done: [Happening] = []

  init(width: Int, isFailFast: Bool) throws {
    self.isFailFast = isFailFast
    var options = StepOptions()
    var fanOut = FanOut(.posts(of: "saved"))
    (fanOut.parallel, fanOut.isFailFast) = (width, isFailFast)
    options.fanOut = fanOut
    var workflow = Workflow(
      name: "posts",
      steps: [
        Step(id: StepID(unchecked: "fan"), uses: "script.step", options: options),
        Step(id: StepID(unchecked: "follower"), uses: "script.step", needs: [Self.fanOut]),
      ])
    workflow.events = [EventDeclaration("saved", repeats: true)]
    plan = Plan(graph: try WorkflowGraph(workflow), announcedEvents: Self.posts, detail: .none)
    plan.apply(.activated(Resolution()), at: 0)
    plan.apply(.started(prewarm: false), at: 0)
    drain()
  }

  mutating func post() {
    posted += 1
    done.append(.post)
    plan.apply(.posted("saved"), at: done.count)
    drain()
    plan.apply(.announcedEventDone, at: done.count)
    drain()
  }

  mutating func end(_ body: StepIndex, _ isSuccess: Bool) {
    let isAwaited = body == Self.follower || plan[Self.fanOut].outcome == nil
    done.append(.end(body, isSuccess))
    running.removeAll { $0 == body }
    let failure = StepFailure(code: "scripted", message: "the script says so")
    plan.apply(
      .ended(body, attempt: 1, !isAwaited ? .cancelled : isSuccess ? .success : .failure(failure, isRetryable: false)),
      at: done.count)
    drain()
  }

  mutating func drain() {
    let now = done.count
    while plan.hasEffects {
      for effect in plan.takeEffects() {
        switch effect {
        case .expand(let step): plan.apply(.expanded(step, .items(FanOutItems(count: 0))), at: now)
        case .evaluate(let item): plan.apply(.decided(item, .run), at: now)
        case .gateDecided(let decision):
          plan.apply(.gateOpened(OpenedGate(decision == .ready ? .ready : .failed, atNanoseconds: now)), at: now)
        default: break
        }
      }
    }
    while let (step, _) = plan.startNext(at: now) { running.append(step) }
  }

  /// The differences between the plan and the results that follow from the events.
  var problemsAtTheEnd: [String] {
    var problems: [String] = []
    var (count, failedAt, lastAt) = (0, Int?.none, 0)
    for (index, happening) in done.enumerated() where failedAt == nil || !isFailFast {
      switch happening {
      case .post:
        count += 1
        lastAt = index + 1
      case .end(let body, let isSuccess) where body > Self.follower:
        if !isSuccess { failedAt = failedAt ?? index + 1 }
        lastAt = index + 1
      case .end: break
      }
    }
    let (fanOut, items) = (plan[Self.fanOut], plan.items(of: Self.fanOut))
    if items.count != count { problems.append("\(items.count) items for \(count) posts") }
    if fanOut.outcome != (failedAt == nil ? .success : .failure) { problems.append("outcome of the step") }
    if fanOut.endedAtNanoseconds != lastAt { problems.append("end of the step at \(fanOut.endedAtNanoseconds ?? -1)") }
    if plan[Self.follower].outcome != (failedAt == nil ? .success : .skipped) { problems.append("the follower") }
    for (index, happening) in done.enumerated() {
      guard case .end(let body, let isSuccess) = happening, body > Self.follower else { continue }
      let item = items[Int(body - Self.follower - 1)]
      if isFailFast, let failedAt, index + 1 > failedAt { continue }
      if item.outcome != (isSuccess ? .success : .failure) || item.endedAtNanoseconds != index + 1 {
        problems.append("item \(item)")
      }
    }
    return problems
  }

  /// The problems that occur if the run is cancelled now and its bodies return one after another.
  var problemsAfterCancel: [String] {
    guard plan.endedAt == nil else { return [] }
    var walk = self
    walk.plan.apply(.cancelled, at: done.count)
    walk.drain()
    var problems = walk.running == running ? [] : ["something started"]
    for body in running { walk.end(body, true) }
    if walk.plan.conclusion != .cancelled { problems.append("the run goes on after a cancel") }
    return problems + walk.plan.problems()
  }
}
