import FlowDiagnostics
import FlowModel
import TestSupport
import Testing

@testable import FlowSyntax

/// A single mistake must cause a single error. The tests break every line of a valid workflow in every usual way.
struct `A single mistake` {
  private static let lines = """
    name: nightly
    description: Builds and publishes
    deadline: { min: 1s, max: 20s }
    inputs:
      region:
        type: string
        default: eu
      retries: { type: integer, default: 3 }
    steps:
      fetch:
        uses: flow.set
        with:
          values:
            count: 3
            url: "https://example.org/a?b=c"
      transform:
        uses: flow.log
        needs: fetch
        with:
          message: "got ${{ steps.fetch.outputs.count }} from ${{ inputs.region }}"
        retry:
          attempts: 3
          delay: 100ms
      open:
        uses: storage.open
        needs: transform
        with: { path: a.sqlite }
      publish:
        uses: flow.log
        needs: [fetch, transform]
        if: ${{ steps.fetch.outputs.count > 2 }}
        with: { message: 'done: all', level: info }
      read:
        uses: storage.trips
        needs: open
      clean-up:
        uses: flow.noop
        needs:
          - publish
          - fetch
        defer: true
    outputs:
      count: ${{ steps.fetch.outputs.count }}
    """.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)

  private static let catalog = TestCatalog(
    declarations: TestCatalog.standard.declarations + [
      ActionDeclaration(
        name: "flow.log", summary: "Logs",
        inputs: [FieldDeclaration("message", .string), FieldDeclaration("level", .string, isRequired: false)]),
      ActionDeclaration(name: "storage.trips", summary: "Reads", requires: ["database"]),
    ])

  @Test func `a single mistake causes at most one error`() {
    let loader = WorkflowLoader(catalog: Self.catalog)
    #expect(
      loader.load(bytes: Array((Self.lines.joined(separator: "\n") + "\n").utf8), file: "sound.yaml").graph != nil)
    var tried = 0
    for number in Self.lines.indices {
      for mistake in SingleMistake.allCases {
        guard let text = mistake.text(of: Self.lines, at: number) else { continue }
        tried += 1
        let result = loader.load(bytes: Array(text.utf8), file: "\(mistake.rawValue)-\(number + 1).yaml")
        #expect(result.diagnostics.count(where: \.isError) <= 1, "\(result.rendered())")
      }
    }
    #expect(tried > 300)
  }

  /// Lines at the wrong level that affect names, events, the inputs of a step and the keys of a mapping.
  @Test(arguments: [
    """
    name: x
    steps:
      a: { uses: flow.noop }
      deadline:
        min: 1s
        max: 2s
    """,
    """
    name: x
    inputs:
      deadline:
        min: 1s
        max: 2s
    steps: { a: { uses: flow.noop } }
    """,
    """
    name: x
    steps:
      a:
        uses: flow.noop
        prewarm: true
        b:
        uses: flow.noop
        needs: [a, c]
      c: { uses: flow.noop }
    """,
    """
    name: x
    steps:
      a:
        uses: flow.noop
        b:
        uses: flow.post
        with: { event: told }
      c: { uses: flow.noop, after: told }
    """,
    """
    name: x
    steps:
      a:
        uses: flow.log
        if: >-
          true
          with: { message: hello }
    """,
    """
    name: x
    inputs:
      a:
        type: string
        default: b
        c:
        type: integer
        enum: [1, 2]
    steps: { a: { uses: flow.log, with: { message: "${{ inputs.a }}" } } }
    """,
  ]) func `a line at the wrong level is reported once, even if it causes other mistakes`(text: String) {
    let result = WorkflowLoader(catalog: Self.catalog).load(bytes: Array(text.utf8), file: "moved.yaml")
    #expect(result.diagnostics.count(where: \.isError) == 1, "\(result.rendered())")
  }

  @Test func `a mistake does not hide other mistakes in the same mapping`() {
    let text = """
      name: x
      deadline: { mni: 1s, mxa: 2s }
      steps:
        outputs: { uses: flow.noop, nedes: a, fi: true }
      """
    let result = WorkflowLoader(catalog: Self.catalog).load(bytes: Array(text.utf8), file: "typos.yaml")
    #expect(result.diagnostics.count(where: \.isError) == 4, "\(result.rendered())")
  }

  @Test(arguments: [10, 16, 24]) func `a step that was moved into another step is reported once`(line: Int) throws {
    let result = WorkflowLoader(catalog: Self.catalog).load(
      bytes: Array(try #require(SingleMistake.blockTwoOut.text(of: Self.lines, at: line - 1)).utf8), file: "moved.yaml")
    #expect(result.diagnostics.count(where: \.isError) == 1)
  }
}

struct `Several mistakes` {
  @Test func `independent cycles are reported separately`() {
    let text = """
      name: cycles
      steps:
        a: { uses: flow.noop, needs: b }
        b: { uses: flow.noop, needs: a }
        c: { uses: flow.noop, needs: [d, a] }
        d: { uses: flow.noop, needs: e }
        e: { uses: flow.noop, needs: c }
        f: { uses: flow.noop, needs: f }
      """
    let result = WorkflowLoader(catalog: TestCatalog.standard).load(bytes: Array(text.utf8), file: "cycles.yaml")
    #expect(
      result.diagnostics.map(\.message) == [
        "these steps depend on each other: a → b → a", "these steps depend on each other: c → d → e → c",
        "step 'f' needs itself",
      ])
  }

  @Test func `thousands of cycles are reported within 30 s`() {
    var text = "name: cycles\nsteps:\n"
    for number in 0..<TestExtent.count(usual: 5_000, release: 20_000, long: 20_000) {
      text +=
        "  a\(number): { uses: flow.noop, needs: b\(number) }\n  b\(number): { uses: flow.noop, needs: a\(number) }\n"
    }
    let start = ContinuousClock.now
    let result = WorkflowLoader(catalog: TestCatalog.standard).load(bytes: Array(text.utf8), file: "cycles.yaml")
    #expect(result.diagnostics.count > 1)
    #expect(ContinuousClock.now - start < .seconds(30))
  }
}

struct `A byte order mark` {
  @Test func `a byte order mark at the start of a workflow is ignored and does not count as a column`() {
    let loader = WorkflowLoader(catalog: TestCatalog.standard)
    let mark = "\u{FEFF}"
    let text = "name: marked\nsteps:\n  a: { uses: flow.noop }\n  b: { uses: flow.noop, needs: a }\n"
    #expect(loader.load(bytes: Array((mark + text).utf8), file: "a.yaml").graph?.workflow.steps.count == 2)
    for broken in [
      "name: 5\nsteps:\n  a: { uses: flow.nop }\n", "name: \"é\nsteps: x\n", "na me\nsteps:\n  A: 1\n", "name: \u{1}\n",
    ] {
      let without = loader.load(bytes: Array(broken.utf8), file: "a.yaml").rendered()
      #expect(loader.load(bytes: Array((mark + broken).utf8), file: "a.yaml").rendered() == without)
    }
  }
}
