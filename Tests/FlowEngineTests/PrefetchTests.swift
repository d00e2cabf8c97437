import FlowModel
import FlowTestKit
import TestSupport
import Testing

@testable import FlowEngine

/// The plan must not lose a prefetched step, and its times must be consistent, whatever threads do and whenever steps
/// are revoked.
struct PrefetchTests {
  @Test func `prefetching threads run each step once, after its dependencies, with consistent times`() throws {
    let seed = SeededGenerator.environmentSeed ?? 31
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var ahead = 0
    let rounds = TestExtent.count(usual: 250, release: 1_000, long: 1_000)
    for _ in 0..<rounds {
      let steps = Self.steps(&random)
      var threads = try Threads(steps)
      while threads.doSomething(&random) {}
      ahead += threads.ahead
      try #require(threads.plan.conclusion == .success)
      try #require(threads.plan.finishedCount == steps.count && threads.plan.queuedSteps == 0)
      let ends = steps.indices.map { threads.plan[StepIndex($0)].endedAtNanoseconds! }
      for (step, end) in threads.ends { try #require(ends[Int(step)] == end) }
      for (place, step) in steps.enumerated() where threads.plan[StepIndex(place)].outcome != .skipped {
        let reading = threads.plan[StepIndex(place)]
        try #require(reading.outcome == .success && reading.attempts == 1)
        try #require(threads.runs[place] == 1)
        try #require(reading.readyAtNanoseconds! <= reading.startedAtNanoseconds!)
        try #require(reading.startedAtNanoseconds! <= reading.endedAtNanoseconds!)
        // No step starts before its dependencies have ended.
        for need in step.needs { try #require(ends[Int(need)] <= reading.readyAtNanoseconds!) }
      }
      // The gate is ready when the last blocking step has ended.
      let blocking = steps.indices.filter { threads.plan[StepIndex($0)].isBlocking }
      if let last = blocking.map({ ends[$0] }).max() { try #require(threads.plan.gate.readyAtNanoseconds! == last) }
    }
    // The test proves something only if steps are prefetched.
    #expect(ahead > 5 * rounds)
  }

  @Test func `a cancelled run records for each prefetched step whether it ran`() throws {
    let seed = SeededGenerator.environmentSeed ?? 32
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<TestExtent.count(usual: 250, release: 1_000, long: 1_000) {
      let steps = Self.steps(&random)
      var threads = try Threads(steps)
      for _ in 0..<Int.random(in: 0..<90, using: &random) { _ = threads.doSomething(&random) }
      guard threads.plan.conclusion == nil else { continue }
      let running = threads.cancel()
      for place in steps.indices {
        let outcome = threads.plan[StepIndex(place)].outcome
        if running.contains(StepIndex(place)) {
          try #require(outcome == .cancelled)
        } else {
          try #require(outcome == (threads.runs[place] == 1 ? .success : .skipped))
        }
      }
      try #require(threads.plan.finishedCount == steps.count && threads.plan.queuedSteps == 0)
    }
  }

  /// Returns up to eighty steps in a wide graph with short paths. Some have special options.
  private static func steps(_ random: inout SeededGenerator) -> [Step] {
    (0..<Int.random(in: 1...80, using: &random)).map { place in
      let needs = (0..<place).filter { _ in Int.random(in: 0..<24, using: &random) == 0 }.map { StepIndex($0) }
      let special = Int.random(in: 0..<14, using: &random)
      return Step("s\(place)", needs: needs) { $0.makeSpecial(special) }
    }
  }
}

/// Three threads that work on a plan as the engine's threads do, but choose at random and use a counter as the clock.
private struct Threads {
  private struct Thread {
    let pool: Pool
    let fastPath: FastPath?
    /// The step that the plan has started, and the steps prefetched after it.
    var steps: [StepIndex]
    /// The times at which the steps before the running one ended.
    var ends: [Int] = []
    /// False while the plan has not been updated with the prefetched steps that have ended.
    var isRevoked = true

    var running: StepIndex { steps[ends.count] }
  }

  private(set) var plan: Plan
  private var threads: [Thread] = []
  private var now = 0
  /// For each step, the number of times its body was started.
  private(set) var runs: [Int]
  /// For each step, the time at which its body ended.
  private(set) var ends: [StepIndex: Int] = [:]
  /// The number of steps that were prefetched.
  private(set) var ahead = 0

  init(_ steps: [Step]) throws {
    let workflow = Workflow(name: "random", steps: steps)
    plan = try Plan(graph: WorkflowGraph(workflow), detail: .none)
    runs = steps.map { _ in 0 }
    plan.apply(.started(prewarm: false), at: 0)
    plan.apply(.activated(Resolution(literalsOf: plan.graph)), at: 0)
    answer()
  }

  /// Makes a random thread take one action. Returns false if nothing is left to do.
  mutating func doSomething(_ random: inout SeededGenerator) -> Bool {
    now += 1
    if Int.random(in: 0..<16, using: &random) == 0 { revoke() }
    if threads.count < 3, Bool.random(using: &random) || threads.isEmpty {
      revoke()
      if let next = plan.startNext(at: now) { place(next, in: plan.pool(of: next.step), &random) }
    }
    guard let place = threads.indices.randomElement(using: &random) else { return false }
    ends[threads[place].running] = now
    if threads[place].ends.count + 1 < threads[place].steps.count {
      threads[place].ends.append(now)
      runs[Int(threads[place].running)] += 1
    } else {
      end(threads.remove(at: place), &random)
    }
    return true
  }

  /// Cancels the run. Returns the steps whose bodies were running.
  mutating func cancel() -> [StepIndex] {
    revoke()
    plan.apply(.cancelled, at: now)
    answer()
    return threads.map(\.running)
  }

  private mutating func end(_ thread: Thread, _ random: inout SeededGenerator) {
    if let fastPath = thread.fastPath, plan.isCurrent(fastPath) {
      let next: StepIndex?
      if thread.isRevoked {
        next = plan.advance(fastPath, from: thread.running, at: now)
      } else {
        let ends = thread.ends + [now]
        next = thread.steps.withUnsafeBufferPointer { steps in
          ends.withUnsafeBufferPointer { plan.advance(fastPath, through: steps, endedAt: $0, at: now) }
        }
      }
      if let next { return place((next, 1), in: thread.pool, &random) }
      revoke()
      let following = plan.leaveFastPath(in: thread.pool, at: now)
      if let following { place(following, in: thread.pool, &random) }
    } else {
      threads.append(thread)
      revoke()
      threads.removeLast()
      let following = plan.passOn(thread.running, attempt: 1, in: thread.pool, at: now)
      if let following { place(following, in: thread.pool, &random) }
    }
    if plan.hasEffects {
      revoke()
      answer()
    }
  }

  /// Assigns a step to a thread, and sometimes prefetches others.
  private mutating func place(
    _ first: (step: StepIndex, attempt: Int), in pool: Pool, _ random: inout SeededGenerator
  ) {
    runs[Int(first.step)] += 1
    let fastPath = plan.fastPath(from: first.step, attempt: first.attempt, in: pool)
    var thread = Thread(pool: pool, fastPath: fastPath, steps: [first.step])
    if let fastPath {
      let share = plan.prefetchShare(of: fastPath, behind: first.step)
      var room = Int.random(in: 0...5, using: &random)
      room = min(room, share - 1)
      while room > 0, let next = plan.prefetch(fastPath, behind: first.step, if: { _ in true }) {
        thread.steps.append(next)
        room -= 1
        ahead += 1
      }
      thread.isRevoked = false
    }
    threads.append(thread)
  }

  /// Revokes all prefetched steps, which brings the plan up to date.
  private mutating func revoke() {
    for place in threads.indices where !threads[place].isRevoked {
      let (steps, ends) = (threads[place].steps, threads[place].ends)
      let started = Array(steps[...ends.count])
      let unstarted = Array(steps[(ends.count + 1)...])
      started.withUnsafeBufferPointer { started in
        unstarted.withUnsafeBufferPointer { unstarted in
          ends.withUnsafeBufferPointer { ends in
            plan.revoke(started: started, endedAt: ends, unstarted: unstarted, at: now)
          }
        }
      }
      threads[place].steps = [started[ends.count]]
      threads[place].ends = []
      threads[place].isRevoked = true
    }
    answer()
  }

  /// Carries out the plan's effects until there are none. Every condition is true, and the gate opens as decided.
  private mutating func answer() {
    while plan.hasEffects {
      for effect in plan.takeEffects() {
        switch effect {
        case .evaluate(let step): plan.apply(.decided(step, .run), at: now)
        case .gateDecided(let decision):
          plan.apply(.gateOpened(OpenedGate(decision == .ready ? .ready : .failed, atNanoseconds: now)), at: now)
        case .cancel, .expand, .gather, .posted, .timedOut, .end: break
        }
      }
    }
  }
}
