import FlowDiagnostics
import FlowModel
import Testing

@testable import FlowSyntax

/// Suggestions for authors who use the syntax of other tools.
struct RemedyTests {
  /// Returns the help for the only mistake in a workflow.
  private func help(_ text: String) -> String {
    let result = WorkflowLoader(catalog: TestCatalog.standard).load(bytes: Array(text.utf8), file: "test.yaml")
    return result.diagnostics.count == 1
      ? result.diagnostics[0].help ?? result.diagnostics[0].correction?.question ?? ""
      : "\(result.diagnostics.map(\.message))"
  }

  @Test(arguments: [
    "working_directory", "env_file", "cache", "artifacts", "on_failure", "handlerOn", "extends", "image", "cron",
    "schedule",
  ])
  func `a key of another tool is reported with a remedy, in a step and in a workflow`(_ key: String) {
    let step = help("name: x\nsteps:\n  a: { uses: flow.noop, \(key): x }\n")
    let workflow = help("name: x\n\(key): x\nsteps:\n  a: { uses: flow.noop }\n")
    #expect(!step.isEmpty && !step.hasPrefix("a step has '") && !step.hasPrefix("["), "\(step)")
    #expect(!workflow.isEmpty && !workflow.hasPrefix("a workflow has '") && !workflow.hasPrefix("["), "\(workflow)")
  }

  @Test func `the help for include without axes suggests a list`() {
    let text = "name: x\nsteps:\n  a: { uses: flow.noop, foreach: { include: [{ os: 2 }] } }\n"
    #expect(help(text).contains("items: [{") && !help(text).contains("exclude"), "\(help(text))")
    let matrix = "name: x\nsteps:\n  a: { uses: flow.noop, foreach: { items: [1], matrix: { os: [1] } } }\n"
    #expect(help(matrix).hasPrefix("did you mean 'axes'?"), "\(help(matrix))")
  }

  @Test(arguments: [
    ("!failure()", "!failure()"), ("!failure() && inputs.x", "!failure() && inputs.x"),
    ("!cancelled() || always() # why", "!cancelled() || always()"), ("!contains('a', 'b}')", "!contains('a', 'b}')"),
    ("!failure() && !cancelled()", "!failure() && !cancelled()"),
  ])
  func `the help for a condition that begins with an exclamation mark suggests quotes or braces`(
    _ condition: String, _ expected: String
  ) {
    let start = "name: x\nsteps:\n  a: { uses: flow.noop }\n"
    let remedy = "put an expression that begins with '!' in quotes or in ${{ }}: if: ${{ \(expected) }}"
    #expect(help(start + "  b:\n    uses: flow.noop\n    if: \(condition)\n") == remedy)
    if !condition.contains("#") { #expect(help(start + "  b: { uses: flow.noop, if: \(condition) }\n") == remedy) }
  }

  @Test func `the help for a length function suggests a comparison that can be true`() {
    let text = "name: x\nsteps:\n  a: { uses: flow.noop, if: \"len(env.X) > 0\" }\n"
    #expect(help(text).contains("toJSON(list) != '[]'"))
  }

  @Test func `a step's name can refer only to inputs, and a workflow's name cannot contain expressions`() {
    func said(_ name: String, workflow: String = "x") -> [String] {
      let text = """
        name: "\(workflow)"
        inputs: { b: { type: string, description: b } }
        steps:
          a: { uses: flow.noop }
          b: { uses: flow.noop, needs: a, name: "\(name)" }
        """
      return WorkflowLoader(catalog: TestCatalog.standard).load(bytes: Array(text.utf8), file: "test.yaml")
        .diagnostics.map(\.message)
    }
    #expect(said("step ${{ inputs.b }}") == [])
    #expect(said("step ${{ inputs.c }}") == ["the workflow declares no input 'c'"])
    #expect(said("${{ steps.a.outcome }}") == ["'steps' cannot be read in 'name'"])
    #expect(said("on ${{ env.HOME }}") == ["'env' cannot be read in 'name'"])
    #expect(said("${{ always() }}") == ["always() can only be called in 'if'"])
    #expect(said("${{ inputs. }}").count == 1)
    #expect(said("b", workflow: "w ${{ inputs.b }}") == ["the name of a workflow cannot hold an expression"])
  }

  /// Returns the warnings for a workflow that includes `part.yaml` or `outer.yaml`. `part.yaml` has a `finally`, and
  /// `outer.yaml` includes it.
  private func saidOfFinally(_ steps: String, deadline: String = "deadline: { max: 1s }") -> [String] {
    let files = [
      "part.yaml": "name: part\nsteps: { a: { uses: flow.noop } }\nfinally: { b: { uses: flow.noop } }\n",
      "outer.yaml": "name: outer\nsteps: { in: { uses: ./part.yaml }, on: { uses: flow.noop, needs: in } }\n",
    ]
    let loader = WorkflowLoader(catalog: TestCatalog.standard) { files[$0].map { Array($0.utf8) } }
    let text = "name: main\n\(deadline)\nsteps:\n\(steps)\n"
    let result = loader.load(bytes: Array(text.utf8), file: "main.yaml")
    return result.diagnostics.map { "\($0.code.rawValue): \($0.message)" }
  }

  @Test func `a warning is reported if the gate waits for the finally steps of an included file`() {
    let part = "  x: { uses: ./part.yaml }\n"
    let warning = "gate-waits-for-finally: the gate waits for finally of"
    #expect(saidOfFinally(part) == [])
    #expect(saidOfFinally(part + "  y: { uses: flow.noop, needs: x }", deadline: "description: no gate") == [])
    for other in ["defer: true", "blocking: false", "enabled: false"] {
      #expect(saidOfFinally(part + "  y: { uses: flow.noop, needs: x, \(other) }") == [], "\(other)")
    }
    #expect(
      saidOfFinally(part + "  y: { uses: flow.noop, needs: x }") == ["\(warning) 'x': 'y' needs it and is blocking"])
    #expect(
      saidOfFinally(
        part + "  y: { uses: flow.noop, needs: x, blocking: false }\n  z: { uses: flow.noop, needs: y }") == [
          "\(warning) 'x': 'z' needs it and is blocking"
        ])
    #expect(saidOfFinally("  o: { uses: ./outer.yaml }") == ["\(warning) 'o/in': 'o/on' needs it and is blocking"])
    #expect(saidOfFinally("  f: { uses: ./part.yaml, foreach: [1] }") == ["\(warning) 'f'"])
    #expect(saidOfFinally("  f: { uses: ./part.yaml, foreach: [1], blocking: false }") == [])
  }
}
