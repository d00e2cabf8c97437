import FlowEngine
import FlowModel
import TestSupport
import Testing

/// Tries every order in which steps with resource requests can end, by applying the ends directly to the plan.
struct `Interleavings of steps that request resources` {
  /// The requests from which those of the steps are chosen. The machine has three cpus, one unit of memory and one gpu.
  private static let requests: [MachineResources?] = [
    nil, MachineResources(cpus: 1), MachineResources(cpus: 2), MachineResources(cpus: 3),
    MachineResources(cpus: 1, memoryBytes: 1),
    MachineResources(cpus: 1, gpus: 1),
  ]
  private static let capacity = MachineResources(cpus: 3, memoryBytes: 1, gpus: 1)

  @Test(arguments: 0..<6, [nil, 2])
  func `no interleaving exceeds the capacity or leaves a usable slot idle, and all runs end`(first: Int, width: Int?)
    throws
  {
    for code in 0..<216 where TestExtent.tries(code, ofParts: 3) {
      let requests = [first, code % 6, code / 6 % 6, code / 36].map { Self.requests[$0] }
      try follow(Walk(requests, width: width))
    }
  }

  @Test func `four later steps may start before one that waits for resources, but not a fifth`() throws {
    // One of three cpus is in use until the other steps have ended. The step that requests all three comes first among
    // these.
    let requests =
      [MachineResources(cpus: 1), MachineResources(cpus: 3)] + Array(repeating: MachineResources(cpus: 1), count: 8)
    var walk = try Walk(requests, width: nil)
    #expect(walk.running == [0, 2, 3])
    var passed = 2
    while walk.running.count > 1 {
      walk.end(walk.running[1])
      passed = max(passed, (walk.running.max() ?? 0) - 1)
    }
    #expect(passed == 4)
    walk.end(0)
    #expect(walk.running == [1])
    walk.end(1)
    #expect(walk.running == [6, 7, 8])
  }

  private func follow(_ walk: Walk) throws {
    let problems = walk.plan.problems() + walk.problems
    if !problems.isEmpty { Issue.record("\(walk.requests), ended \(walk.ended): \(problems)") }
    if walk.running.isEmpty {
      if walk.plan.endedAt == nil { Issue.record("\(walk.requests), ended \(walk.ended): it goes on with nothing") }
      return
    }
    for step in walk.running {
      var next = walk
      next.end(step)
      try follow(next)
    }
  }

  /// One path: the steps that have ended so far. One ends at each instant.
  struct Walk {
    let requests: [MachineResources?]
    let width: Int?
    var plan: Plan
    var running: [Int] = []
    var ended: [Int] = []

    init(_ requests: [MachineResources?], width: Int?) throws {
      (self.requests, self.width) = (requests, width)
      var workflow = Workflow(name: "shares", steps: [])
      if let width { workflow.queues = [QueueDeclaration(name: "own", qualityOfService: .utility, width: width)] }
      for (index, request) in requests.enumerated() {
        var options = StepOptions()
        options.request = request
        // The steps are in two queues, which share the machine.
        if width != nil {
          options.queue = index % 2 == 0 ? "own" : nil
        } else if index == 1 {
          options.queue = "background"
        }
        workflow.steps.append(Step(id: StepID(unchecked: "s\(index)"), uses: "script.step", options: options))
      }
      plan = Plan(
        graph: try WorkflowGraph(workflow), capacity: `Interleavings of steps that request resources`.capacity,
        detail: .none
      )
      plan.apply(.activated(Resolution()), at: 0)
      plan.apply(.started(prewarm: false), at: 0)
      drain()
    }

    mutating func end(_ step: Int) {
      running.removeAll { $0 == step }
      ended.append(step)
      plan.apply(.ended(StepIndex(step), attempt: 1, .success), at: ended.count)
      drain()
    }

    private mutating func drain() {
      while plan.hasEffects {
        for effect in plan.takeEffects() {
          if case .gateDecided(let decision) = effect {
            plan.apply(
              .gateOpened(OpenedGate(decision == .ready ? .ready : .failed, atNanoseconds: ended.count)),
              at: ended.count)
          }
        }
      }
      while let (step, _) = plan.startNext(at: ended.count) { running.append(Int(step)) }
    }

    /// The requests that exceed the capacity, and the steps that wait although they could start.
    var problems: [String] {
      var free = `Interleavings of steps that request resources`.capacity
      for step in running { if let request = requests[step] { free = free.without(request) } }
      var problems: [String] = []
      if free.cpus < 0 || free.memoryBytes < 0 || free.gpus < 0 { problems.append("more is taken than there is") }
      let waiting = requests.indices.filter { !running.contains($0) && !ended.contains($0) }
      let isFull = width.map { width in running.count { $0 % 2 == 0 } >= width } ?? false
      let open = waiting.filter { !(isFull && $0 % 2 == 0) }
      // With so few steps, none is passed four times, so every step that fits must have started.
      for step in open where requests[step]?.fits(in: free) ?? true { problems.append("s\(step) waits though it fits") }
      return problems
    }
  }
}
