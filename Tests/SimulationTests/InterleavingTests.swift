import FlowEngine
import FlowModel
import TestSupport
import Testing

/// Tries every order in which the steps of every small graph can end, by applying the ends directly to the plan: each
/// running step is tried as the next to end, with each outcome.
struct `Interleavings of steps` {
  /// The outcomes with which a step can end.
  enum Ending: CaseIterable {
    case success
    case failure
    /// The step is optional and fails.
    case optionalFailure
  }

  @Test func `the interleavings cover all 342 graphs of up to five steps`() {
    #expect((1...5).map { SmallGraphs.all(steps: $0).count } == [1, 2, 6, 31, 302])
  }

  @Test(arguments: 1...4)
  func `every interleaving of up to four steps ends as expected`(steps: Int) throws {
    for needs in SmallGraphs.all(steps: steps) { try explore(needs) }
  }

  @Test(.timeLimit(.minutes(10)), arguments: 0..<8)
  func `every interleaving of five steps ends as expected`(part: Int) throws {
    for (index, needs) in SmallGraphs.all(steps: 5).enumerated()
    where index % 8 == part && TestExtent.tries(index / 8, ofParts: 4) { try explore(needs) }
  }

  @Test(arguments: 1...4)
  func `no interleaving with a cancellation leaves a step running`(steps: Int) throws {
    for needs in SmallGraphs.all(steps: steps) {
      try explore(needs, optional: 0, cancels: true)
    }
  }

  @Test(arguments: 1...5)
  func `every interleaving ends as expected, even if a step starts directly after a successful one`(steps: Int) throws {
    for needs in SmallGraphs.all(steps: steps) {
      try explore(needs, optional: 0, cancels: steps < 5, passesOn: true)
    }
  }

  /// Tries every set of optional steps that fail. The other steps succeed or fail.
  private func explore(_ needs: [[Int]]) throws {
    for optional in 0..<(1 << needs.count) { try explore(needs, optional: optional, cancels: false) }
  }

  private func explore(_ needs: [[Int]], optional: Int, cancels: Bool, passesOn: Bool = false) throws {
    var workflow = Workflow(name: "small", steps: [])
    for (index, needs) in needs.enumerated() {
      var options = StepOptions()
      options.isOptional = optional >> index & 1 == 1
      let indices = needs.map { StepIndex($0) }
      workflow.steps.append(
        Step(id: StepID(unchecked: "s\(index)"), uses: "script.step", needs: indices[...], options: options))
    }
    let graph = try WorkflowGraph(workflow)
    var walk = Walk(plan: Plan(graph: graph, detail: .none), needs: needs, optional: optional, passesOn: passesOn)
    walk.plan.apply(.activated(Resolution()), at: 0)
    walk.plan.apply(.started(prewarm: false), at: 0)
    walk.drain(at: 0)
    follow(walk, cancels: cancels)
  }

  private func follow(_ walk: Walk, cancels: Bool) {
    if walk.running.isEmpty {
      let problems = walk.problems
      if !problems.isEmpty { Issue.record("needs \(walk.needs), ended \(walk.endings): \(problems)") }
      return
    }
    for step in walk.running {
      let isOptional = walk.optional >> step & 1 == 1
      for ending in isOptional ? [Ending.optionalFailure] : [.success, .failure] {
        var next = walk
        next.end(step, ending)
        follow(next, cancels: cancels)
      }
    }
    guard cancels else { return }
    let problems = walk.problemsAfterCancel
    if !problems.isEmpty { Issue.record("needs \(walk.needs), cancelled after \(walk.endings): \(problems)") }
  }

  /// One path through a graph: the steps that have ended so far. One ends at each instant.
  struct Walk {
    var plan: Plan
    let needs: [[Int]]
    let optional: Int
    /// True if the thread of a step that succeeds starts the next step directly, as the engine's threads do.
    let passesOn: Bool
    var running: [Int] = []
    var endings: [(step: Int, ending: Ending)] = []

    mutating func end(_ step: Int, _ ending: Ending) {
      endings.append((step, ending))
      running.removeAll { $0 == step }
      if passesOn, ending == .success {
        let pool = plan.pool(of: StepIndex(step))
        if let next = plan.passOn(StepIndex(step), attempt: 1, in: pool, at: endings.count) {
          running.append(Int(next.step))
        }
        return drain(at: endings.count)
      }
      let failure = StepFailure(code: "scripted", message: "the script says so")
      plan.apply(
        .ended(
          StepIndex(step), attempt: 1,
          ending == .success ? .success : .failure(failure, isRetryable: false, retryAfterNanoseconds: 0)),
        at: endings.count)
      drain(at: endings.count)
    }

    /// Performs the plan's effects and starts the offered steps.
    mutating func drain(at now: Int) {
      while plan.hasEffects {
        for effect in plan.takeEffects() {
          if case .gateDecided(let decision) = effect {
            plan.apply(.gateOpened(OpenedGate(decision == .ready ? .ready : .failed, atNanoseconds: now)), at: now)
          }
        }
      }
      while let (step, _) = plan.startNext(at: now) { running.append(Int(step)) }
    }

    /// The differences between the plan and the results that follow from the endings and the graph, whatever the order
    /// of events.
    var problems: [String] {
      var isSatisfied: [Bool] = []
      var endedAt: [Int] = []
      var problems = plan.problems()
      for step in needs.indices {
        let end = endings.firstIndex { $0.step == step }
        let broken = needs[step].filter { !isSatisfied[$0] }
        let reading = plan[StepIndex(step)]
        if broken.isEmpty, let end {
          let ending = endings[end].ending
          isSatisfied.append(ending != .failure)
          endedAt.append(end + 1)
          let startedAt = needs[step].map { endedAt[$0] }.max() ?? 0
          if reading.outcome != (ending == .success ? .success : .failure) { problems.append("outcome of s\(step)") }
          if reading.startedAtNanoseconds != startedAt { problems.append("start of s\(step)") }
        } else {
          isSatisfied.append(false)
          endedAt.append(broken.map { endedAt[$0] }.min() ?? -1)
          if reading.outcome != .skipped || reading.reason != .upstreamFailed { problems.append("skip of s\(step)") }
        }
        if reading.endedAtNanoseconds != endedAt[step] { problems.append("end of s\(step)") }
      }
      let brokenAt = needs.indices.filter { !isSatisfied[$0] }.map { endedAt[$0] }.min()
      let gate = plan.gate
      if gate.outcome != (brokenAt == nil ? .ready : .failed) { problems.append("outcome of the gate") }
      if gate.openedAtNanoseconds != brokenAt ?? endedAt.max() { problems.append("opening of the gate") }
      let isPartial = endings.contains { $0.ending == .optionalFailure }
      if plan.conclusion != (brokenAt != nil ? .failure : isPartial ? .partial : .success) {
        problems.append("conclusion")
      }
      if plan.endedAt != endings.count { problems.append("end of the run") }
      return problems
    }

    /// The problems that occur if the run is cancelled now and its bodies return one after another.
    var problemsAfterCancel: [String] {
      var walk = self
      let wasOpen = plan.gate.outcome
      let now = endings.count
      walk.plan.apply(.cancelled, at: now)
      walk.drain(at: now)
      var problems: [String] = []
      if walk.running != running { problems.append("something started") }
      for step in needs.indices where plan[StepIndex(step)].outcome == nil {
        let reading = walk.plan[StepIndex(step)]
        let expected: Outcome = running.contains(step) ? .cancelled : .skipped
        if reading.outcome != expected || reading.endedAtNanoseconds != now { problems.append("end of s\(step)") }
      }
      for (index, step) in running.enumerated() {
        if walk.plan.endedAt != nil { problems.append("an end before s\(step) returned") }
        walk.plan.apply(.ended(StepIndex(step), attempt: 1, .cancelled), at: now + index + 1)
        walk.drain(at: now + index + 1)
      }
      if walk.plan.conclusion != .cancelled { problems.append("conclusion") }
      if walk.plan.endedAt != now + running.count { problems.append("end of the run") }
      if walk.plan.gate.outcome != wasOpen ?? .cancelled { problems.append("outcome of the gate") }
      return problems
    }
  }
}
