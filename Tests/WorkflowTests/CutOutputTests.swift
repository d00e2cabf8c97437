import Foundation
import TestSupport
import Testing

/// Tests command outputs that exceed the limit, and expressions that read them.
@Suite(.timeLimit(.minutes(10))) struct `A truncated output` {
  /// A command that prints 1.4 MB.
  private static let list = "seq -f 'sample-%06g' 1 100000"

  private func run(_ steps: String, _ more: String = "") throws -> WorkflowFolder.Outcome {
    try WorkflowFolder([
      "inner.yaml": """
      name: inner
      steps: { list: { run: "\(Self.list)", quiet: true } }
      outputs: { text: "${{ steps.list.outputs.stdout }}" }
      """,
      "w.yaml": """
      name: w
      steps:
        list: { run: "\(Self.list)", quiet: true }
      \(steps)
      \(more)
      """,
    ]).run("w.yaml")
  }

  @Test(arguments: [
    "foreach: \"${{ lines(steps.list.outputs.stdout) }}\", run: 'echo $L', env: { L: \"${{ item }}\" }",
    "if: \"contains(steps.list.outputs.stdout, 'sample-050000')\", run: 'true'",
    "uses: flow.set, with: { values: { all: \"${{ toJSON(steps.list.outputs) }}\" } }",
    "run: 'true', env: { TEXT: \"${{ steps.list.outputs.stdout }}\" }",
  ])
  func `fails a step that reads a truncated output, and reports the writer, the size and a remedy`(_ reader: String)
    throws
  {
    let outcome = try run("  read: { needs: list, \(reader) }")
    #expect(outcome.conclusion == "failure" && outcome.status == 1, "\(outcome.output)")
    #expect(outcome.steps["list"]?["outcome"] as? String == "success")
    #expect(outcome.output.contains("[output-too-large]"), "\(outcome.output)")
    #expect(outcome.output.contains("step 'list' wrote 1400000 bytes"), "\(outcome.output)")
    #expect(outcome.output.contains("FLOWRUN_OUTPUT"), "\(outcome.output)")
  }

  @Test func `fails a run that returns a truncated output, and a step that includes a file that returns one`() throws {
    let own = try run("", "outputs: { text: \"${{ steps.list.outputs.stdout }}\" }")
    #expect(own.conclusion == "failure" && own.status == 1, "\(own.output)")
    let included = try run("  part: { uses: ./inner.yaml }\n  each: { foreach: [1], uses: ./inner.yaml }")
    #expect(included.steps["part"]?["outcome"] as? String == "failure", "\(included.output)")
    #expect(included.steps["each"]?["outcome"] as? String == "failure", "\(included.output)")
  }

  @Test func `does not fail a step that reads only complete lines of a truncated output`() throws {
    let outcome = try run(
      """
        ends: { needs: list, run: 'echo "$F $L"', env: { F: "${{ first(steps.list.outputs.stdout, 1) }}",
          L: "${{ last(steps.list.outputs.stdout, 2) }}" } }
        status: { needs: list, if: steps.list.outputs.status == 0, run: 'true' }
      """)
    #expect(outcome.conclusion == "success", "\(outcome.output)")
    #expect(outcome.output.contains("sample-000001 sample-099999"), "\(outcome.output)")
  }

  @Test func `keeps the complete output with a larger output-limit`() throws {
    let outcome = try run(
      """
        large: { run: "\(Self.list)", quiet: true, output-limit: 2MiB }
        read: { needs: large, if: "contains(steps.large.outputs.stdout, 'sample-050000')", run: 'echo found it' }
      """)
    #expect(outcome.conclusion == "success" && outcome.output.contains("found it"), "\(outcome.output)")
  }

  @Test func `fails a step that reads a truncated output even if a worker ran the command`() throws {
    let folder = try WorkflowFolder([
      "w.yaml": """
      name: w
      steps:
        list: { run: "\(Self.list)", quiet: true }
        ends: { needs: list, run: 'echo "$F"', env: { F: "${{ first(steps.list.outputs.stdout, 1) }}" } }
        read: { needs: ends, run: 'true', env: { TEXT: "${{ steps.list.outputs.stdout }}" } }
      """
    ])
    let (text, status) = try folder.flowrun("w.yaml", "--on", "workers=1")
    #expect(status == 1 && text.contains("[output-too-large]"), "\(text)")
    #expect(text.contains("sample-000001") && text.contains("step 'list' wrote 1400000 bytes"), "\(text)")
  }

  @Test func `fails a step that reads a truncated output even after a resume`() throws {
    let folder = try WorkflowFolder([
      "w.yaml": """
      name: w
      steps:
        list: { run: "echo ran >> runs; \(Self.list)", quiet: true }
        wait: { needs: list, run: test -e ready }
        read: { needs: wait, run: 'true', env: { TEXT: "${{ steps.list.outputs.stdout }}" } }
      """
    ])
    #expect(try folder.flowrun("w.yaml").status == 1)
    try folder.write("", to: "ready")
    let (text, status) = try folder.flowrun("resume", "last")
    #expect(status == 1 && text.contains("[output-too-large]"), "\(text)")
    #expect(text.contains("step 'list' wrote 1400000 bytes"), "\(text)")
    #expect(try String(contentsOf: folder.url.appendingPathComponent("runs"), encoding: .utf8) == "ran\n")
  }

  /// `make test-release` tests the largest limit.
  @Test func `keeps an output that does not exceed its limit, and truncates a larger one`() throws {
    let limit = TestExtent.count(usual: 1, release: 64, long: 64)
    func run(_ bytes: Int) throws -> WorkflowFolder.Outcome {
      try WorkflowFolder([
        "w.yaml": """
        name: w
        steps:
          large: { run: head -c \(bytes) /dev/zero | tr '\\0' x, quiet: true, output-limit: \(limit)MiB }
          read: { needs: large, if: "endsWith(steps.large.outputs.stdout, 'x')", run: echo found it }
        """
      ]).run("w.yaml")
    }
    let whole = try run(limit << 20)
    #expect(whole.conclusion == "success" && whole.output.contains("found it"), "\(whole.output)")
    let cut = try run((limit << 20) + 1)
    #expect(cut.conclusion == "failure" && cut.output.contains("[output-too-large]"), "\(cut.output)")
  }

  @Test(arguments: ["512B", "65MiB", "1 MB", "many"]) func `an invalid output-limit is refused`(_ limit: String) throws
  {
    let folder = try WorkflowFolder([
      "w.yaml": "name: w\nsteps: { a: { run: 'true', output-limit: \(limit) } }\n"
    ])
    let (text, status) = try folder.flowrun("validate", "w.yaml")
    #expect(status == 2 && text.contains("output-limit"), "\(text)")
  }
}
