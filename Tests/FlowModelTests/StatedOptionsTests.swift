import FlowModel
import FlowTestKit
import Testing

/// A search for an option finds exactly the steps that have it.
struct StatedOptionsTests {
  /// Functions that set an option, each with the bits that the option must set.
  private static let options: [(stated: StatedOptions, state: @Sendable (inout StepOptions) -> Void)] = [
    ([], { $0.isOptional = true }),
    ([], { $0.enabled = .literal(true) }),
    (.disabled, { $0.enabled = .literal(false) }),
    (.preparation, { $0.enabled = .expression("env.a == 'b'") }),
    (.deferral, { $0.deferral = .afterGate }),
    (.deferral, { $0.deferral = .idle }),
    ([.deferral, .preparation], { $0.deferral = .expression("env.a == 'b'") }),
    (.waitsForAll, { $0.isFinal = true }),
    ([], { ($0.isFinal, $0.isFinalInside) = (true, true) }),
    (.blocking, { $0.blocking = true }),
    (.notBlocking, { $0.blocking = false }),
    (.events, { $0.after = ["posted"] }),
    (.request, { $0.request = MachineResources(cpus: 1) }),
    (.estimate, { $0.estimate = Estimate(low: .seconds(1), high: .seconds(1)) }),
    ([.fanOut, .preparation], { $0.fanOut = FanOut(.items([1])) }),
    (.queue, { $0.queue = "main" }),
    (.preparation, { $0.condition = "success()" }),
    (.preparation, { $0.environment = ["a": "b"] }),
    (.preparation, { $0.inputsFrom = ["*.txt"] }),
    (.preparation, { $0.produces = ["a.txt"] }),
  ]

  @Test(arguments: options.indices) func `a step option sets exactly the expected bits`(_ index: Int) throws {
    let (stated, state) = Self.options[index]
    var step = Step(id: StepID(unchecked: "a"), uses: "flow.nothing")
    #expect(step.stated == [])
    state(&step.options)
    #expect(step.stated == stated)
    let workflow = Workflow(name: "test", steps: [Step(id: StepID(unchecked: "b"), uses: "flow.nothing"), step])
    let graph = try WorkflowGraph(workflow)
    for bit in 0..<16 {
      let one = StatedOptions(rawValue: 1 << bit)
      #expect(graph.steps(stating: one) == (stated.contains(one) ? [1] : []))
    }
  }

  @Test func `a list of steps is sorted and has no duplicates, regardless of the order of insertion`() {
    var random = SeededGenerator(seed: SeededGenerator.environmentSeed ?? 7)
    for _ in 0..<200 {
      let steps = (0..<Int.random(in: 0...30, using: &random)).map { _ in StepIndex.random(in: 0..<20, using: &random) }
      let list = StepList(steps)
      #expect(Array(list) == Set(steps).sorted(), "\(steps)")
      #expect(list.count == Set(steps).count && list.isEmpty == steps.isEmpty)
      for step in 0..<StepIndex(20) { #expect(list.contains(step) == steps.contains(step), "\(steps)") }
    }
  }
}
