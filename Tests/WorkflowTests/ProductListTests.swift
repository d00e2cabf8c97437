import Foundation
import TestSupport
import Testing

/// Tests the products of steps as values in expressions.
@Suite(.timeLimit(.minutes(3))) struct ProductListTests {
  private static let workflow = """
    name: w
    steps:
      clean:
        foreach: { files: "raw/*.txt" }
        inputs-from: ["${{ item.path }}"]
        produces: ["clean/${{ item.name }}"]
        run: 'echo "clean $NAME" >> log; mkdir -p clean; tr a-z A-Z < "raw/$NAME" > "clean/$NAME"'
        env: { NAME: "${{ item.name }}" }
      merge:
        needs: clean
        inputs-from: ["${{ steps.clean.products }}"]
        produces: [all.txt]
        with: { command: 'echo merge >> log; cat "$@" > all.txt', arguments: "${{ steps.clean.products }}" }
        uses: shell.run
    outputs: { made: "${{ join(steps.clean.products, ' ') }}", all: "${{ steps.merge.products[0] }}" }

    """

  private func made() throws -> WorkflowFolder {
    try WorkflowFolder(["w.yaml": Self.workflow, "raw/a.txt": "a", "raw/b.txt": "b", "raw/c.txt": "c"])
  }

  private func ran(_ folder: WorkflowFolder, _ arguments: String...) throws -> (steps: String, text: String) {
    let log = folder.url.appendingPathComponent("log")
    try? FileManager.default.removeItem(at: log)
    let result = try FlowrunProcess.run(["w.yaml"] + arguments, in: folder.url.path)
    #expect(result.exitCode == 0, "\(result)")
    let lines = ((try? String(contentsOf: log, encoding: .utf8)) ?? "").split(separator: "\n").sorted()
    return (lines.joined(separator: ", "), result.output + result.errors)
  }

  private func text(_ name: String, _ folder: WorkflowFolder) -> String? {
    try? String(contentsOf: folder.url.appendingPathComponent(name), encoding: .utf8)
  }

  @Test func `a step that reads the products of items reads only those of current items`() throws {
    let folder = try made()
    let first = try ran(folder)
    #expect(first.steps == "clean a.txt, clean b.txt, clean c.txt, merge")
    #expect(first.text.contains("made: clean/a.txt clean/b.txt clean/c.txt") && first.text.contains("all: all.txt"))
    #expect(text("all.txt", folder) == "ABC")
    let again = try ran(folder)
    #expect(again.steps == "" && again.text.contains("made: clean/a.txt clean/b.txt clean/c.txt"), "\(again)")
    try FileManager.default.removeItem(at: folder.url.appendingPathComponent("raw/b.txt"))
    #expect(try ran(folder).steps == "merge")
    #expect(text("all.txt", folder) == "AC" && text("clean/b.txt", folder) == "B")
    #expect(try ran(folder).steps == "")
    try folder.write("x", to: "raw/c.txt")
    #expect(try ran(folder).steps == "clean c.txt, merge")
    #expect(text("all.txt", folder) == "AX")
  }

  @Test func `the products of a step can be the items of another step, as values and as files`() throws {
    let folder = try WorkflowFolder([
      "w.yaml": """
      name: w
      steps:
        make: { run: "mkdir out; echo 1 > out/b; echo 2 > out/a; echo 3 > last", produces: ["out/*", last] }
        each: { needs: make, foreach: "${{ steps.make.products }}", run: 'echo "value $F"', env: { F: "${{ item }}" } }
        files: { needs: make, foreach: { files: ["${{ steps.make.products }}"] }, run: 'echo "file $F"', env: { F: "${{ item.name }}" } }
        none: { if: "false", run: echo, produces: [never] }
      outputs: { made: "${{ toJSON(steps.make.products) }}", none: "${{ toJSON(steps.none.products) }}" }

      """
    ])
    let (text, status) = try folder.flowrun("w.yaml")
    #expect(status == 0, "\(text)")
    for line in ["value out/a", "value out/b", "value last", "file a", "file b", "file last"] {
      #expect(text.contains(line), "\(line): \(text)")
    }
    #expect(text.contains("none: []"), "\(text)")
  }

  @Test func `a resumed run has the products of the steps that it does not repeat`() throws {
    let folder = try made()
    try folder.write(
      Self.workflow.replacing("command: 'echo merge", with: "command: 'test -e fine || exit 1; echo merge"),
      to: "w.yaml")
    #expect(try folder.flowrun("w.yaml").status == 1)
    try folder.write("", to: "fine")
    let (text, status) = try folder.flowrun("resume", "last")
    #expect(status == 0 && text.contains("made: clean/a.txt clean/b.txt clean/c.txt"), "\(text)")
    #expect(self.text("all.txt", folder) == "ABC")
  }

  @Test func `the products of a step that declares none cannot be used`() throws {
    let folder = try WorkflowFolder([
      "w.yaml":
        "name: w\nsteps: { a: { run: echo }, b: { needs: a, run: cat, inputs-from: ['${{ steps.a.products }}'] } }\n"
    ])
    let (text, status) = try folder.flowrun("validate", "w.yaml")
    #expect(status != 0 && text.contains("step 'a' has no products"), "\(text)")
  }
}
