import FlowModel
import FlowTestKit
import TestSupport
import Testing

@testable import FlowEngine

/// A fast path ends as soon as its thread can no longer assume that only its own steps have run.
struct FastPathTests {
  private func runningChain() throws -> Plan {
    let steps = (0..<5).map { Step("s\($0)", needs: $0 == 0 ? [] : [StepIndex($0 - 1)]) }
    var plan = try Plan(
      graph: WorkflowGraph(Workflow(name: "chain", steps: steps)), outsideSourceIsOpen: true, detail: .none)
    plan.apply(.started(prewarm: false), at: 0)
    plan.apply(.activated(Resolution()), at: 0)
    _ = plan.startNext(at: 0)
    return plan
  }

  @Test func `copies of a plan that threads change concurrently have separate records`() async throws {
    let steps = (0..<5).map { Step("s\($0)", needs: $0 == 0 ? [] : [StepIndex($0 - 1)]) }
    for _ in 0..<100 {
      var plan = try Plan(
        graph: WorkflowGraph(Workflow(name: "chain", steps: steps)), outsideSourceIsOpen: true, detail: .full)
      plan.apply(.started(prewarm: false), at: 0)
      plan.apply(.activated(Resolution()), at: 0)
      _ = plan.startNext(at: 0)
      let original = plan
      let records = await withTaskGroup(of: [[PlanRecord]].self) { group in
        for _ in 0..<2 {
          group.addTask {
            var copy = original
            copy.succeeded(0, attempt: 1, at: 1)
            return copy.takeRecords().map(Array.init)
          }
        }
        return await group.reduce(into: []) { $0.append($1.flatMap { $0 }) }
      }
      #expect(records[0] == records[1])
      #expect(records[0].contains { if case .complete(.succeeded(0, attempt: 1)) = $0.kind { true } else { false } })
    }
  }

  @Test func `a fast path continues while only its own steps end`() throws {
    var plan = try runningChain()
    let found = plan.fastPath(from: 0, attempt: 1, in: plan.pool(of: 0))
    let fastPath = try #require(found)
    for step in 0..<3 {
      #expect(plan.isCurrent(fastPath))
      let following = plan.advance(fastPath, from: StepIndex(step), at: step + 1)
      #expect(following == StepIndex(step + 1))
      #expect(plan[StepIndex(step)].endedAtNanoseconds == step + 1)
      #expect(plan[StepIndex(step + 1)].startedAtNanoseconds == step + 1)
    }
  }

  @Test(arguments: [
    PlanEvent.posted("news"), .cancelled, .timePassed, .gateOpened(OpenedGate(.ready, atNanoseconds: 0)),
    .outsideSourceClosed, .announcedEventDone,
    .ended(0, attempt: 1, .success),
  ])
  func `a fast path ends when the plan is notified of any event`(event: PlanEvent) throws {
    var plan = try runningChain()
    let found = plan.fastPath(from: 0, attempt: 1, in: plan.pool(of: 0))
    let fastPath = try #require(found)
    #expect(plan.isCurrent(fastPath))
    plan.apply(event, at: 1)
    #expect(!plan.isCurrent(fastPath))
  }

  @Test func `a fast path ends when copy-on-write moves the plan's memory`() throws {
    var plan = try Plan(
      graph: WorkflowGraph(Workflow(name: "two", steps: [Step("first"), Step("second")])), detail: .none)
    plan.apply(.started(prewarm: false), at: 0)
    plan.apply(.activated(Resolution()), at: 0)
    _ = plan.startNext(at: 0)
    let found = plan.fastPath(from: 0, attempt: 1, in: plan.pool(of: 0))
    let fastPath = try #require(found)
    let copy = plan
    #expect(plan.isCurrent(fastPath))
    _ = plan.startNext(at: 1)
    #expect(!plan.isCurrent(fastPath))
    #expect(copy[1].status == .queued && plan[1].status == .running)
  }

  @Test func `a step with a deadline neither starts nor continues a fast path`() throws {
    let steps = [Step("plain"), Step("timed", needs: [0]) { $0.deadline = StepDeadline(max: .seconds(1)) }]
    var plan = try Plan(graph: WorkflowGraph(Workflow(name: "timed", steps: steps)), detail: .none)
    plan.apply(.started(prewarm: false), at: 0)
    plan.apply(.activated(Resolution()), at: 0)
    _ = plan.startNext(at: 0)
    let pool = plan.pool(of: 0)
    let found = plan.fastPath(from: 0, attempt: 1, in: pool)
    let fastPath = try #require(found)
    let following = plan.advance(fastPath, from: 0, at: 1)
    #expect(following == nil)
    let left = plan.leaveFastPath(in: pool, at: 1)
    let next = try #require(left)
    #expect(next.step == 1 && plan.nextTimerNanoseconds == 1_000_000_001)
    let none = plan.fastPath(from: 1, attempt: 1, in: pool)
    #expect(none == nil)
  }

  @Test func `a fast path has the same effect as ending a step and starting the next one, for random graphs`()
    throws
  {
    let seed = SeededGenerator.environmentSeed ?? 20
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<TestExtent.count(usual: 500, release: 2_000, long: 2_000) {
      var plan = try Self.plan(of: Self.steps(&random), detail: Bool.random(using: &random) ? .full : .none)
      var running: [StepIndex] = []
      var now = 0
      while true {
        now += 1
        Self.answer(plan.takeEffects(), &plan, at: now)
        // Two threads for all pools, so that ready steps wait and their order matters.
        while running.count < 2, let next = plan.startNext(at: now) { running.append(next.step) }
        guard let step = running.randomElement(using: &random) else { break }
        running.removeAll { $0 == step }
        let pool = plan.pool(of: plan.owner(of: step))
        var other = plan
        let next = plan.passOn(step, attempt: 1, in: pool, at: now)
        other.succeeded(step, attempt: 1, at: now)
        let expected = other.hasEffects ? nil : other.startNext(in: pool, at: now)
        try #require(next?.step == expected?.step && next?.attempt == expected?.attempt)
        for index in plan.graph.topologicalOrder {
          try #require(plan[index] == other[index] && plan.items(of: index) == other.items(of: index))
        }
        try #require(plan.problems().isEmpty)
        #expect(Self.entries(&plan) == Self.entries(&other))
        #expect(Self.records(&plan) == Self.records(&other))
        let (effects, otherEffects) = (plan.takeEffects(), other.takeEffects())
        try #require(effects == otherEffects && plan.finishedCount == other.finishedCount)
        Self.answer(effects, &plan, at: now)
        if let next { running.append(next.step) }
      }
    }
  }

  private static func entries(_ plan: inout Plan) -> [JournalEntry] {
    var entries: [JournalEntry] = []
    plan.takeEntries().forEach { entries.append($0) }
    return entries
  }

  private static func records(_ plan: inout Plan) -> [PlanRecord] { plan.takeRecords().flatMap { Array($0) } }

  private static func plan(of steps: [Step], detail: RunDetail) throws -> Plan {
    let workflow = Workflow(name: "random", steps: steps)
    var plan = try Plan(graph: WorkflowGraph(workflow), detail: detail)
    plan.keepEntries(startsToo: false)
    plan.apply(.started(prewarm: false), at: 0)
    plan.apply(.activated(Resolution(literalsOf: plan.graph)), at: 0)
    return plan
  }

  /// Carries out the plan's effects until there are none. Every condition is true, and the gate opens as decided.
  private static func answer(_ effects: [PlanEffect], _ plan: inout Plan, at now: Int) {
    for effect in effects {
      switch effect {
      case .evaluate(let step): plan.apply(.decided(step, .run), at: now)
      case .gateDecided(let decision):
        plan.apply(.gateOpened(OpenedGate(decision == .ready ? .ready : .failed, atNanoseconds: now)), at: now)
      case .expand(let step):
        let count = plan.graph.workflow.steps[Int(step)].options.fanOut?.literalCount ?? 0
        plan.apply(.expanded(step, .items(FanOutItems(count: count))), at: now)
      case .cancel, .gather, .posted, .timedOut, .end: break
      }
    }
    if plan.hasEffects { answer(plan.takeEffects(), &plan, at: now) }
  }

  /// Returns up to a dozen steps, some of them with special options.
  private static func steps(_ random: inout SeededGenerator) -> [Step] {
    (0..<Int.random(in: 1...12, using: &random)).map { place in
      let needs = (0..<place).filter { _ in Int.random(in: 0..<4, using: &random) == 0 }.map { StepIndex($0) }
      let special = Int.random(in: 0..<12, using: &random)
      let seconds = Int.random(in: 1...9, using: &random)
      return Step("s\(place)", needs: needs) { options in
        options.makeSpecial(special)
        if special > 8 {
          var fanOut = FanOut(.items(.array(Array(repeating: 1, count: seconds))))
          if special == 10 { fanOut.parallel = 1 + seconds % 3 }
          options.fanOut = fanOut
        }
        if special == 7 { options.estimate = Estimate(low: .seconds(1), high: .seconds(seconds)) }
      }
    }
  }
}
