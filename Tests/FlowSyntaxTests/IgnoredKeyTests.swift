import FlowDiagnostics
import FlowModel
import Testing

@testable import FlowSyntax

/// Keys of a workflow that begin with `x-`. They can contain anchors.
struct `A key that begins with x-` {
  private func load(_ text: String) -> LoadResult {
    WorkflowLoader(catalog: TestCatalog.standard).load(bytes: Array(text.utf8), file: "test.yaml")
  }

  @Test func `a key that begins with x- is ignored, and steps can use its anchors`() throws {
    let result = load(
      """
      x-tries: &tries { attempts: 3, delay: 1s }
      x-steps:
        usual: &usual { queue: utility, retry: *tries }
      name: a
      x-anything: [1, { uses: nowhere.at-all, needs: none }, "${{ no expression"]
      steps:
        one: { uses: flow.noop, retry: *tries }
        two: { <<: *usual, uses: flow.noop }

      """)
    #expect(result.diagnostics.isEmpty, "\(result.rendered())")
    let steps = try #require(result.graph).workflow.steps
    #expect(steps.map { $0.options.retry?.attempts } == [3, 3] && steps[1].options.queue == "utility")
  }

  @Test func `a key that begins with x- is accepted only at the top level, in lower case and once`() {
    let duplicate = load("name: a\nx-a: 1\nx-a: 2\nsteps: { a: { uses: flow.noop } }\n")
    #expect(duplicate.diagnostics.map(\.code) == [.duplicateKey])
    for text in [
      "name: a\nsteps: { a: { uses: flow.noop, x-a: 1 } }\n", "name: a\nxa: 1\nsteps: { a: { uses: flow.noop } }\n",
      "name: a\nX-a: 1\nsteps: { a: { uses: flow.noop } }\n",
      "name: a\ndefaults: { x-a: 1 }\nsteps: { a: { uses: flow.noop } }\n",
    ] { #expect(load(text).diagnostics.map(\.code) == [.unknownKey], "\(text)") }
  }
}
