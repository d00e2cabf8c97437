import FlowDiagnostics
import FlowModel
import Testing

@testable import FlowSyntax

/// Loads a workflow with the standard actions.
func load(_ text: String, file: String = "test.yaml", catalog: TestCatalog = .standard) -> LoadResult {
  WorkflowLoader(catalog: catalog).load(bytes: Array(text.utf8), file: file)
}

struct LoadingTests {
  @Test func `a workflow with most keys of the format loads without diagnostics`() throws {
    let result = load(WorkflowExamples.complete, file: "launch.yaml")
    #expect(result.rendered() == "")
    let graph = try #require(result.graph)
    let workflow = graph.workflow
    #expect(workflow.name == "launch")
    #expect(workflow.gate == GateDeadline(min: .literal(.seconds(2)), max: .literal(.seconds(5))))
    #expect(workflow.inputs.map(\.name) == ["language"])
    #expect(workflow.inputs.first?.isRequired == false)
    #expect(workflow.events == [EventDeclaration("map.first-use", summary: "The map was opened for the first time")])
    #expect(
      workflow.steps.map(\.id.text) == [
        "open-store", "language", "first-screen", "prepare-geocoder", "wait-for-cloud", "ask-for-location",
      ])
    #expect(Array(workflow.steps[2].needs) == [0, 1])
    #expect(workflow.steps[2].options.queue == "main")
    #expect(
      workflow.steps[0].options.estimate == Estimate(low: .milliseconds(50), high: .milliseconds(200)))
    #expect(workflow.steps[1].with == ["override": "${{ inputs.language }}"])
    #expect(workflow.steps[1].options.deadline == StepDeadline(max: .milliseconds(500)))
    #expect(
      workflow.steps[3].options.retry
        == RetryPolicy(
          attempts: 3, delay: .milliseconds(100), backoff: 2, maxDelay: .seconds(1), jitter: .full))
    #expect(workflow.steps[3].options.blocking == false)
    #expect(workflow.steps[3].options.isOptional)
    #expect(workflow.steps[4].options.enabled == .literal(false))
    #expect(workflow.steps[5].options.deferral == .afterGate)
    #expect(workflow.steps[5].options.after == ["map.first-use"])
    #expect(workflow.outputs == ["store": "${{ steps.open-store.outputs.path }}"])
  }

  @Test func `a step's own value replaces the whole default value of the key`() throws {
    let result = load(
      """
      name: defaults
      defaults: { retry: { attempts: 3, delay: 1s }, deadline: 2s, queue: background }
      steps:
        plain: { uses: flow.noop }
        own: { uses: flow.noop, retry: { attempts: 2 }, deadline: { min: 1s }, queue: main }
      """)
    let steps = try #require(result.graph).workflow.steps
    #expect(steps[0].options.retry == RetryPolicy(attempts: 3, delay: .seconds(1)))
    #expect(steps[0].options.deadline == StepDeadline(max: .seconds(2)))
    #expect(steps[0].options.queue == "background")
    #expect(steps[1].options.retry == RetryPolicy(attempts: 2))
    #expect(steps[1].options.deadline == StepDeadline(min: .seconds(1)))
    #expect(steps[1].options.queue == "main")
  }

  @Test func `needs can refer to earlier and later steps, and duplicates are removed`() throws {
    let result = load(
      """
      name: needs
      steps:
        a: { uses: flow.noop, needs: [c, b, c] }
        b: { uses: flow.noop }
        c: { uses: flow.noop, needs: b }
      """)
    let graph = try #require(result.graph)
    #expect(graph.workflow.steps.map { Array($0.needs) } == [[2, 1], [], [1]])
    #expect(graph.topologicalOrder == [1, 2, 0])
  }

  @Test func `anchors, aliases and merge keys work as in YAML`() throws {
    let result = load(
      """
      name: merge
      steps:
        a: &plain { uses: flow.noop, deadline: 1s, optional: true }
        b: { <<: *plain, deadline: 2s }
        c:
          <<: [{ queue: main }, *plain]
          queue: utility
        d: *plain
      """)
    let steps = try #require(result.graph, "\(result.rendered())").workflow.steps
    #expect(steps.map(\.uses) == Array(repeating: "flow.noop", count: 4))
    #expect(steps.map(\.options.deadline?.max) == [.seconds(1), .seconds(2), .seconds(1), .seconds(1)])
    #expect(steps.map(\.options.queue) == [nil, nil, "utility", nil])
    #expect(steps.map { $0.options.isOptional } == [true, true, true, true])
  }

  @Test func `the locations of a step and of its keys are available after loading`() throws {
    let text = "name: locations\nsteps:\n  a:\n    uses: flow.noop\n    defer: true\n"
    let result = load(text)
    let location = try #require(result.span(of: 0, key: "defer"))
    #expect(result.source.text(of: location) == "true")
    #expect(result.span(of: 0, key: "with").map(result.source.text) == "a")
    #expect(result.span(of: 1, key: nil) == nil)
  }
}
