import FlowEngine
import FlowModel
import TestSupport
import Testing

private let scriptedFailure = StepFailure(code: "scripted", message: "the script says so")

/// Tries every order in which the steps of every small graph can end, followed by two steps of `finally`. A step may be
/// skipped while other dependencies are running, one step at a time is disabled, and the bodies of a cancelled run
/// return in every order.
struct `Interleavings of workflows with finally` {
  @Test(arguments: 1...4) func `with up to four steps, finally runs last in every interleaving`(steps: Int) throws {
    for needs in SmallGraphs.all(steps: steps) {
      for out in -1..<steps { try explore(needs, out: out, cancels: steps < 4) }
    }
  }

  @Test(.timeLimit(.minutes(10)), arguments: 0..<8)
  func `with five steps, finally runs last in every interleaving`(part: Int) throws {
    for (index, needs) in SmallGraphs.all(steps: 5).enumerated()
    where index % 8 == part && TestExtent.tries(index / 8, ofParts: 12) { try explore(needs, out: -1, cancels: false) }
  }

  private func explore(_ needs: [[Int]], out: Int, cancels: Bool) throws {
    let count = needs.count
    var workflow = Workflow(name: "small", steps: [])
    for (index, needs) in needs.enumerated() {
      var options = StepOptions()
      if index == out { options.enabled = .literal(false) }
      let indices = needs.map { StepIndex($0) }
      workflow.steps.append(
        Step(id: StepID(unchecked: "s\(index)"), uses: "script.step", needs: indices[...], options: options))
    }
    var final = StepOptions()
    final.isFinal = true
    let ends = needs.indices.filter { step in !needs.contains { $0.contains(step) } }.map { StepIndex($0) }
    for (name, needs) in [("first", ends), ("second", [StepIndex(count)])] {
      workflow.steps.append(
        Step(id: StepID(unchecked: name), uses: "script.step", needs: needs[...], options: final))
    }
    var walk = Walk(plan: Plan(graph: try WorkflowGraph(workflow), detail: .none), count: count)
    walk.plan.apply(.activated(Resolution()), at: 0)
    walk.plan.apply(.started(prewarm: false), at: 0)
    walk.drain()
    follow(walk, cancels: cancels, "needs \(needs), out \(out)")
  }

  private func follow(_ walk: Walk, cancels: Bool, _ graph: String) {
    if let problem = walk.problem { return record(problem, walk, graph) }
    if cancels, walk.plan.endedAt == nil {
      var cancelled = walk
      cancelled.time += 1
      cancelled.plan.apply(.cancelled, at: cancelled.time)
      cancelled.ending = cancelled.running.filter { $0 < walk.count }
      cancelled.running.removeAll { $0 < walk.count }
      cancelled.drain()
      followCancelled(cancelled, graph)
    }
    for step in walk.running {
      for succeeds in step < walk.count ? [true, false] : [true] {
        var next = walk
        next.end(step, succeeds: succeeds)
        follow(next, cancels: cancels, graph)
      }
    }
  }

  /// Makes the cancelled bodies return in every order, or be abandoned after their grace.
  private func followCancelled(_ walk: Walk, _ graph: String) {
    if let problem = walk.problem { return record(problem + ", cancelled", walk, graph) }
    guard !walk.ending.isEmpty else {
      var last = walk
      while let next = last.running.first { last.end(next, succeeds: true) }
      if last.plan.conclusion != .cancelled { record("does not end, cancelled", walk, graph) }
      return
    }
    for step in walk.ending {
      var next = walk
      next.ending.removeAll { $0 == step }
      next.end(step, succeeds: false)
      followCancelled(next, graph)
    }
    var abandoned = walk
    abandoned.ending = []
    abandoned.time += Plan.usualGraceNanoseconds
    abandoned.plan.apply(.timePassed, at: abandoned.time)
    abandoned.drain()
    if let problem = abandoned.problem { record(problem + ", abandoned", walk, graph) }
  }

  private func record(_ problem: String, _ walk: Walk, _ graph: String) {
    Issue.record("\(problem): \(graph), ended \(walk.endings)")
  }

  /// One path through a graph. One step ends at each instant.
  private struct Walk {
    var plan: Plan
    /// The number of steps outside `finally`.
    let count: Int
    var time = 0
    var running: [Int] = []
    /// The steps whose bodies were asked to end and have not returned.
    var ending: [Int] = []
    var endings: [String] = []
    var hasFailed = false
    /// The time at which the last step outside `finally` finished.
    var lastEnd = 0

    mutating func end(_ step: Int, succeeds: Bool) {
      time += 1
      endings.append("s\(step) \(succeeds)")
      if step < count {
        hasFailed = hasFailed || !succeeds
        lastEnd = time
      }
      running.removeAll { $0 == step }
      plan.apply(
        .ended(
          StepIndex(step), attempt: 1, succeeds ? .success : .failure(scriptedFailure, isRetryable: false)),
        at: time)
      drain()
    }

    mutating func drain() {
      while plan.hasEffects {
        for effect in plan.takeEffects() {
          guard case .gateDecided(let decision) = effect else { continue }
          plan.apply(.gateOpened(OpenedGate(decision == .ready ? .ready : .failed, atNanoseconds: time)), at: time)
        }
      }
      while let (step, _) = plan.startNext(at: time) { running.append(Int(step)) }
    }

    var problem: String? {
      if let problem = plan.problems().first { return problem }
      let first = plan[StepIndex(count)]
      let isAnyOpen = (0..<count).contains { plan[StepIndex($0)].outcome == nil }
      if isAnyOpen || !ending.isEmpty {
        return first.startedAtNanoseconds == nil ? nil : "finally started before others had finished"
      }
      guard let started = first.startedAtNanoseconds else { return "finally has not started" }
      if plan.conclusion == nil || plan.conclusion == .cancelled { return nil }
      if started != lastEnd { return "finally started at \(started), not at \(lastEnd)" }
      if first.outcome != .success || plan[StepIndex(count + 1)].outcome != .success { return "finally did not run" }
      return plan.conclusion == (hasFailed ? .failure : .success) ? nil : "conclusion"
    }
  }
}
