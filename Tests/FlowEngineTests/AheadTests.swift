import FlowModel
import FlowTestKit
import Testing

@testable import FlowEngine

/// Steps that slots take ahead: whatever slots do with them and whoever takes them back, the plan loses none, and its
/// times make sense.
struct AheadTests {
  @Test func `slots that take steps ahead end every graph as slots that do not, with times that make sense`() throws {
    let seed = SeededGenerator.environmentSeed ?? 31
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var ahead = 0
    for _ in 0..<1_000 {
      let steps = Self.steps(&random)
      var slots = try Slots(steps)
      while slots.doSomething(&random) {}
      ahead += slots.ahead
      try #require(slots.plan.conclusion == .success)
      try #require(slots.plan.settledCount == steps.count && slots.plan.queuedSteps == 0)
      let ends = steps.indices.map { slots.plan[StepIndex($0)].endedAtNanoseconds! }
      for (step, end) in slots.ends { try #require(ends[Int(step)] == end) }
      for (place, step) in steps.enumerated() where slots.plan[StepIndex(place)].outcome != .skipped {
        let reading = slots.plan[StepIndex(place)]
        try #require(reading.outcome == .success && reading.attempts == 1)
        try #require(slots.runs[place] == 1)
        try #require(reading.readyAtNanoseconds! <= reading.startedAtNanoseconds!)
        try #require(reading.startedAtNanoseconds! <= reading.endedAtNanoseconds!)
        // Nothing starts before what it needs has ended.
        for need in step.needs { try #require(ends[Int(need)] <= reading.readyAtNanoseconds!) }
      }
      // The gate is ready with the last of the steps that it waits for.
      let blocking = steps.indices.filter { slots.plan[StepIndex($0)].isBlocking }
      if let last = blocking.map({ ends[$0] }).max() { try #require(slots.plan.gate.readyAtNanoseconds! == last) }
    }
    // The test is worth nothing where no step is taken ahead.
    #expect(ahead > 5_000)
  }

  @Test func `a cancelled run knows of every step that was taken ahead whether it ran`() throws {
    let seed = SeededGenerator.environmentSeed ?? 32
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<1_000 {
      let steps = Self.steps(&random)
      var slots = try Slots(steps)
      for _ in 0..<Int.random(in: 0..<90, using: &random) { _ = slots.doSomething(&random) }
      guard slots.plan.conclusion == nil else { continue }
      let running = slots.cancel()
      for place in steps.indices {
        let outcome = slots.plan[StepIndex(place)].outcome
        if running.contains(StepIndex(place)) {
          try #require(outcome == .cancelled)
        } else {
          try #require(outcome == (slots.runs[place] == 1 ? .success : .skipped))
        }
      }
      try #require(slots.plan.settledCount == steps.count && slots.plan.queuedSteps == 0)
    }
  }

  /// Up to eighty steps, wide rather than deep, some of them with something that makes them special.
  private static func steps(_ random: inout SeededGenerator) -> [Step] {
    (0..<Int.random(in: 1...80, using: &random)).map { place in
      let needs = (0..<place).filter { _ in Int.random(in: 0..<24, using: &random) == 0 }.map { StepIndex($0) }
      let special = Int.random(in: 0..<14, using: &random)
      return Step("s\(place)", needs: needs) { $0.makeSpecial(special) }
    }
  }
}

/// Three slots at work on a plan, as the driver has them, but with every choice drawn and a clock that counts.
private struct Slots {
  private struct Slot {
    let lane: Lane
    let series: StepSeries?
    /// The step that was started in the plan, and those taken ahead behind it.
    var steps: [StepIndex]
    /// When each of them ended but the one that runs and those behind it.
    var ends: [Int] = []
    /// Whether the plan is exact about its steps.
    var isTakenBack = true

    var running: StepIndex { steps[ends.count] }
  }

  private(set) var plan: Plan
  private var slots: [Slot] = []
  private var now = 0
  /// How often the body of each step was started.
  private(set) var runs: [Int]
  /// When the body of each step ended.
  private(set) var ends: [StepIndex: Int] = [:]
  /// How many steps were taken ahead.
  private(set) var ahead = 0

  init(_ steps: [Step]) throws {
    let workflow = Workflow(name: "random", steps: steps)
    plan = try Plan(graph: WorkflowGraph(workflow), detail: .none)
    runs = steps.map { _ in 0 }
    plan.apply(.started(prewarm: false), at: 0)
    plan.apply(.activated(Resolution(literalsOf: plan.graph)), at: 0)
    answer()
  }

  /// One thing that one of the slots does; false when there is nothing left to do.
  mutating func doSomething(_ random: inout SeededGenerator) -> Bool {
    now += 1
    if Int.random(in: 0..<16, using: &random) == 0 { takeBack() }
    if slots.count < 3, Bool.random(using: &random) || slots.isEmpty {
      takeBack()
      if let next = plan.startNext(at: now) { place(next, in: plan.lane(of: next.step), &random) }
    }
    guard let place = slots.indices.randomElement(using: &random) else { return false }
    ends[slots[place].running] = now
    if slots[place].ends.count + 1 < slots[place].steps.count {
      slots[place].ends.append(now)
      runs[Int(slots[place].running)] += 1
    } else {
      end(slots.remove(at: place), &random)
    }
    return true
  }

  /// Cancels the run; the steps whose bodies run.
  mutating func cancel() -> [StepIndex] {
    takeBack()
    plan.apply(.cancelled, at: now)
    answer()
    return slots.map(\.running)
  }

  private mutating func end(_ slot: Slot, _ random: inout SeededGenerator) {
    if let series = slot.series, plan.isCurrent(series) {
      let next: StepIndex?
      if slot.isTakenBack {
        next = plan.advance(series, from: slot.running, at: now)
      } else {
        let ends = slot.ends + [now]
        next = slot.steps.withUnsafeBufferPointer { steps in
          ends.withUnsafeBufferPointer { plan.advance(series, through: steps, endedAt: $0, at: now) }
        }
      }
      if let next { return place((next, 1), in: slot.lane, &random) }
      takeBack()
      let following = plan.leaveSeries(in: slot.lane, at: now)
      if let following { place(following, in: slot.lane, &random) }
    } else {
      slots.append(slot)
      takeBack()
      slots.removeLast()
      let following = plan.passOn(slot.running, attempt: 1, in: slot.lane, at: now)
      if let following { place(following, in: slot.lane, &random) }
    }
    if plan.hasEffects {
      takeBack()
      answer()
    }
  }

  /// Gives a slot a step, and now and then some behind it.
  private mutating func place(
    _ first: (step: StepIndex, attempt: Int), in lane: Lane, _ random: inout SeededGenerator
  ) {
    runs[Int(first.step)] += 1
    let series = plan.series(from: first.step, attempt: first.attempt, in: lane)
    var slot = Slot(lane: lane, series: series, steps: [first.step])
    if let series {
      let share = plan.shareAhead(of: series, behind: first.step)
      var room = Int.random(in: 0...5, using: &random)
      room = min(room, share - 1)
      while room > 0, let next = plan.takeAhead(series, behind: first.step, if: { _ in true }) {
        slot.steps.append(next)
        room -= 1
        ahead += 1
      }
      slot.isTakenBack = false
    }
    slots.append(slot)
  }

  /// Makes the plan exact.
  private mutating func takeBack() {
    for place in slots.indices where !slots[place].isTakenBack {
      let (steps, ends) = (slots[place].steps, slots[place].ends)
      let started = Array(steps[...ends.count])
      let unstarted = Array(steps[(ends.count + 1)...])
      started.withUnsafeBufferPointer { started in
        unstarted.withUnsafeBufferPointer { unstarted in
          ends.withUnsafeBufferPointer { ends in
            plan.takeBack(started: started, endedAt: ends, unstarted: unstarted, at: now)
          }
        }
      }
      slots[place].steps = [started[ends.count]]
      slots[place].ends = []
      slots[place].isTakenBack = true
    }
    answer()
  }

  /// Does what the plan asks, until it asks nothing more: every condition holds, the gate opens as decided.
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
