import FlowModel
import FlowTestKit
import Testing

/// The dependencies in a graph, and the detection of cycles.
struct WorkflowGraphTests {
  private func workflow(_ needs: [[StepIndex]]) -> Workflow {
    Workflow(
      name: "test",
      steps: needs.enumerated().map { Step(id: StepID(unchecked: "s\($0)"), uses: "flow.noop", needs: $1[...]) })
  }

  @Test func `the successors of a step are its dependents in file order`() throws {
    let graph = try WorkflowGraph(workflow([[], [0], [0, 1], [0]]))
    #expect(Array(graph.successors(of: 0)) == [1, 2, 3])
    #expect(Array(graph.successors(of: 1)) == [2])
    #expect(graph.successors(of: 3).isEmpty)
    #expect(graph.dependencyCounts == [0, 1, 2, 1])
  }

  @Test func `steps without dependencies come first, in file order, and the others follow their dependencies`() throws {
    let seed = SeededGenerator.environmentSeed ?? 17
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let count = Int.random(in: 1...30, using: &random)
      // An order in which each step depends only on earlier ones. The test does not reveal it.
      let hidden = (0..<count).shuffled(using: &random)
      var needs = [[StepIndex]](repeating: [], count: count)
      for (position, step) in hidden.enumerated() {
        needs[step] = hidden[..<position].filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
          .map { StepIndex($0) }
      }
      let order = try WorkflowGraph(workflow(needs)).topologicalOrder
      #expect(order.sorted() == (0..<StepIndex(count)).map { $0 })
      let positions = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
      for (step, needs) in needs.enumerated() {
        for need in needs { #expect(positions[need]! < positions[StepIndex(step)]!) }
      }
      let free = needs.indices.filter { needs[$0].isEmpty }.map { StepIndex($0) }
      #expect(Array(order.prefix(free.count)) == free)
    }
  }

  @Test func `a cycle is reported as a list of steps in which each depends on the next`() throws {
    let needs: [[StepIndex]] = [[], [0, 3], [1], [2], [3]]
    let cycle = #expect(throws: WorkflowGraph.Cycle.self) { try WorkflowGraph(workflow(needs)) }
    let steps = try #require(cycle).steps
    #expect(Set(steps) == [1, 2, 3])
    for (index, step) in steps.enumerated() { #expect(needs[Int(step)].contains(steps[(index + 1) % steps.count])) }
  }

  @Test func `a graph lists the steps that have options, and a step without a name is displayed by its id`() throws {
    var workflow = workflow([[], [], []])
    workflow.steps[1].options.isOptional = true
    #expect(try WorkflowGraph(workflow).stepsWithOptions == [1])
    #expect(workflow.steps[0].displayName == "s0")
    workflow.steps[1].options.name = "The second"
    #expect(workflow.steps[1].displayName == "The second")
  }
}
