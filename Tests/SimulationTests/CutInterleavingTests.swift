import FlowEngine
import FlowModel
import TestSupport
import Testing

private let scriptedFailure = StepFailure(code: "scripted", message: "the script says so")

/// Tries every order in which the steps of every graph of up to four steps can end, and interrupts the run after every
/// end. `make test` tries all graphs of up to three steps, and every fifth graph of four.
struct `Interrupted interleavings` {
  @Test(arguments: 1...4) func `an interrupted interleaving ends like an uninterrupted one`(steps: Int) throws {
    var cuts = 0
    for (number, needs) in SmallGraphs.all(steps: steps).enumerated()
    where steps < 4 || TestExtent.tries(number, ofParts: 5) {
      for optional in 0..<(1 << steps) { try explore(needs, optional, &cuts) }
    }
    #expect(cuts >= steps)
  }

  private func explore(_ needs: [[Int]], _ optional: Int, _ cuts: inout Int) throws {
    var workflow = Workflow(name: "small", steps: [])
    for (index, needs) in needs.enumerated() {
      var options = StepOptions()
      options.isOptional = optional >> index & 1 == 1
      let indices = needs.map { StepIndex($0) }
      workflow.steps.append(
        Step(id: StepID(unchecked: "s\(index)"), uses: "script.step", needs: indices[...], options: options))
    }
    var way = Way(plan: Plan(graph: try WorkflowGraph(workflow), detail: .none))
    way.plan.keepEntries(startsToo: false)
    way.plan.apply(.activated(Resolution()), at: 0)
    way.plan.apply(.started(prewarm: false), at: 0)
    way.drain()
    follow(way, &cuts)
  }

  private func follow(_ way: Way, _ cuts: inout Int) {
    cuts += 1
    let restored = way.restored()
    #expect(restored.running.sorted() == way.running.sorted(), "\(way.endings)")
    let (one, other) = (way.finished(), restored.finished())
    for index in way.plan.graph.workflow.steps.indices {
      let (left, right) = (one.plan[StepIndex(index)], other.plan[StepIndex(index)])
      if left.outcome != right.outcome || left.reason != right.reason {
        Issue.record("s\(index) after \(way.endings): \(left), cut \(right)")
      }
    }
    #expect(one.plan.conclusion == other.plan.conclusion && one.plan.gate.outcome == other.plan.gate.outcome)
    #expect(other.plan.problems().isEmpty)
    for step in way.running {
      for succeeds in [true, false] {
        var next = way
        next.end(step, succeeds: succeeds)
        follow(next, &cuts)
      }
    }
  }

  /// One path through a graph. One step ends at each instant.
  private struct Way {
    var plan: Plan
    var running: [Int] = []
    var endings: [String] = []

    mutating func end(_ step: Int, succeeds: Bool) {
      endings.append("s\(step) \(succeeds)")
      running.removeAll { $0 == step }
      plan.apply(
        .ended(
          StepIndex(step), attempt: 1,
          succeeds ? .success : .failure(scriptedFailure, isRetryable: false)),
        at: endings.count)
      drain()
    }

    mutating func drain() {
      while plan.hasEffects {
        for effect in plan.takeEffects() {
          guard case .gateDecided(let decision) = effect else { continue }
          plan.apply(
            .gateOpened(OpenedGate(decision == .ready ? .ready : .failed, atNanoseconds: endings.count)),
            at: endings.count)
        }
      }
      while let (step, _) = plan.startNext(at: endings.count) { running.append(Int(step)) }
    }

    /// Returns the same path with a plan that was restored from the journal entries alone.
    func restored() -> Way {
      var own = plan
      var other = Way(plan: Plan(graph: plan.graph, detail: .none), endings: endings)
      other.plan.beginRestoring(wasPrewarmed: false)
      own.takeEntries().forEach { other.plan.restore($0) }
      other.plan.endRestoring(at: endings.count, gateCountsAnew: true)
      other.plan.apply(.started(prewarm: false), at: endings.count)
      other.drain()
      return other
    }

    /// Returns the path after all remaining steps have succeeded.
    func finished() -> Way {
      var way = self
      while let step = way.running.min() { way.end(step, succeeds: true) }
      return way
    }
  }
}
