import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `An item that is up to date` {
  private static let workflow = """
    name: clean
    steps:
      clean:
        foreach: { files: "raw/**/*.csv" }
        inputs-from: ["${{ item.path }}", "*.cfg"]
        produces: ["out/${{ item.stem }}.txt"]
        run: 'echo "$STEM" >> log; mkdir -p out; cat "$FILE" > "out/$STEM.txt"; echo "made $STEM"'
        env: { FILE: "${{ item.path }}", STEM: "${{ item.stem }}" }
      merge:
        needs: clean
        inputs-from: [out/*.txt]
        produces: [all]
        run: echo merge >> log; cat out/*.txt > all
    outputs: { made: "${{ join(steps.clean.outputs.stdout, ', ') }}" }
    """

  private func made() throws -> WorkflowFolder {
    let folder = try WorkflowFolder([
      "w.yaml": Self.workflow, "raw/a.csv": "1", "raw/b.csv": "2", "raw/deep er/c d.csv": "3", "x.cfg": "0",
    ])
    #expect(try ran(folder) == ["a", "b", "c d", "merge"])
    return folder
  }

  /// Runs the workflow and returns the items and steps that ran. The run must end with `exitCode`.
  private func ran(_ folder: WorkflowFolder, _ arguments: String..., exitCode: Int32 = 0) throws -> [String] {
    let log = folder.url.appendingPathComponent("log")
    try? FileManager.default.removeItem(at: log)
    let result = try FlowrunProcess.run(["w.yaml"] + arguments, in: folder.url.path)
    #expect(result.exitCode == exitCode, "\(result)")
    return ((try? String(contentsOf: log, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init).sorted()
  }

  @Test func `an up-to-date item is skipped and keeps its previous outputs, and the other items run`() throws {
    let folder = try made()
    #expect(try ran(folder) == [])
    try folder.write("22", to: "raw/b.csv")
    #expect(try ran(folder) == ["b", "merge"])
    // A new first item changes only the positions of the other items.
    try folder.write("4", to: "raw/0.csv")
    #expect(try ran(folder) == ["0", "merge"])
    try FileManager.default.removeItem(at: folder.url.appendingPathComponent("raw/a.csv"))
    #expect(try ran(folder) == ["merge"])
    try FileManager.default.removeItem(at: folder.url.appendingPathComponent("out/c d.txt"))
    #expect(try ran(folder) == ["c d"])
    try folder.write("1", to: "x.cfg")
    #expect(try ran(folder) == ["0", "b", "c d"])
    #expect(try ran(folder, "--force", "clean") == ["0", "b", "c d"])
    let outcome = try folder.run("w.yaml")
    #expect(outcome.output.contains("made: made 0, made b, made c d"), "\(outcome)")
    let items = outcome.steps["clean"]?["items"] as? [[String: Any]] ?? []
    #expect(items.map { $0["reason"] as? String } == ["up-to-date", "up-to-date", "up-to-date"])
  }

  @Test func `--explain reports for each item whether it runs and why`() throws {
    let folder = try made()
    try folder.write("22", to: "raw/b.csv")
    let (text, status) = try folder.flowrun("w.yaml", "--explain")
    #expect(
      text == """
        clean: runs: 1 of 3 items
          clean[0] 'raw/a.csv': up to date: nothing has changed since it succeeded
          clean[1] 'raw/b.csv': runs: 'raw/b.csv' has changed
          clean[2] 'raw/deep er/c d.csv': up to date: nothing has changed since it succeeded
        merge: runs: it needs 'clean', which runs and may change its results

        """)
    #expect(status == 0)
  }

  @Test func `up-to-date items are skipped in an included file whose paths depend on its inputs`() throws {
    let folder = try WorkflowFolder([
      "w.yaml": "name: w\nsteps: { part: { uses: ./part/p.yaml, with: { from: src } } }",
      "part/p.yaml": """
      name: p
      inputs: { from: { type: string } }
      steps:
        each:
          foreach: { files: "${{ inputs.from }}/*" }
          inputs-from: ["${{ inputs.from }}/${{ item.name }}"]
          produces: ["made-${{ inputs.from }}/${{ item.name }}"]
          run: 'echo "$N" >> ../log; mkdir -p made-src; cp "src/$N" "made-src/$N"'
          env: { N: "${{ item.name }}" }
      """,
      "part/src/a": "1", "part/src/b": "2",
    ])
    #expect(try ran(folder) == ["a", "b"])
    try folder.write("3", to: "part/src/b")
    #expect(try ran(folder) == ["b"])
    #expect(try ran(folder) == [])
  }

  @Test func `two items that produce the same file cause an error before the run`() throws {
    let folder = try made()
    try folder.write("x", to: "raw/deep er/a.csv")
    let (text, status) = try folder.flowrun("w.yaml")
    let problem = "item [0] 'raw/a.csv' and item [2] 'raw/deep er/a.csv' both produce 'out/a.txt'"
    #expect(status == 2 && text.contains(problem), "\(text)")
  }

  @Test func `after a failed item has ended a run, only the items that have not succeeded run again`() throws {
    let folder = try made()
    let workflow = Self.workflow.replacing("    run: 'echo", with: "    parallel: 1\n    run: 'echo")
    try folder.write(workflow.replacing("echo \"made", with: "test ! -e \"stop-$STEM\"; echo \"made"), to: "w.yaml")
    try folder.write("", to: "stop-b")
    // The step has changed, so all its items must run, one at a time. The second one ends the run.
    #expect(try ran(folder, exitCode: 1) == ["a", "b"])
    try FileManager.default.removeItem(at: folder.url.appendingPathComponent("stop-b"))
    // The first item was recorded, although its run failed.
    #expect(try ran(folder) == ["b", "c d"])
    #expect(try ran(folder) == [])
  }

  @Test func `graph --files shows the file patterns of items between the steps`() throws {
    let folder = try made()
    let (text, _) = try folder.flowrun("graph", "w.yaml", "--files")
    #expect(
      text.hasSuffix(
        """
        files:
          clean -> out/${{ item.stem }}.txt -> merge
          merge -> all
          raw/**/*.csv -> clean
          *.cfg -> clean

        """), "\(text)")
  }
}
