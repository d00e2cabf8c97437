import Foundation
import TestSupport
import Testing

/// Tests products that are removed after the steps that read them have succeeded.
@Suite(.timeLimit(.minutes(3))) struct TemporaryProductTests {
  private func ran(_ folder: WorkflowFolder, _ arguments: String..., fails: Bool = false) throws -> String {
    let log = folder.url.appendingPathComponent("log")
    try? FileManager.default.removeItem(at: log)
    let result = try FlowrunProcess.run(["w.yaml"] + arguments, in: folder.url.path)
    #expect(result.exitCode == (fails ? 1 : 0), "\(result)")
    return ((try? String(contentsOf: log, encoding: .utf8)) ?? "").split(separator: "\n").sorted()
      .joined(separator: " ")
  }

  private func exists(_ name: String, _ folder: WorkflowFolder) -> Bool {
    FileManager.default.fileExists(atPath: folder.url.appendingPathComponent(name).path)
  }

  private func text(_ name: String, _ folder: WorkflowFolder) -> String? {
    try? String(contentsOf: folder.url.appendingPathComponent(name), encoding: .utf8)
  }

  private static let chain = """
    name: w
    steps:
      sort: { run: 'echo sort >> log; cat in > x.bam', inputs-from: [in], produces: [{ path: x.bam, temporary: true }] }
      index: { needs: sort, run: 'echo index >> log; cat x.bam > y.bam', inputs-from: [x.bam], produces: [{ path: y.bam, temporary: true }] }
      call: { needs: index, run: 'echo call >> log; test ! -e broken; cat y.bam ref > out', inputs-from: [y.bam, ref], produces: [out] }

    """

  @Test func `temporary products are removed after their readers have succeeded, and their removal repeats no steps`()
    throws
  {
    let folder = try WorkflowFolder(["w.yaml": Self.chain, "in": "1", "ref": "r"])
    #expect(try ran(folder) == "call index sort")
    #expect(!exists("x.bam", folder) && !exists("y.bam", folder) && text("out", folder) == "1r")
    for _ in 0..<2 { #expect(try ran(folder) == "") }
    #expect(try folder.flowrun("w.yaml", "--explain").text.contains("sort: up to date"))
    // If a reader must run again, its files are produced first.
    try folder.write("s", to: "ref")
    let explained = try folder.flowrun("w.yaml", "--explain").text
    #expect(
      explained.contains("sort: runs: a step that must run reads 'x.bam', which is temporary and was removed"),
      "\(explained)")
    #expect(try ran(folder) == "call index sort")
    #expect(text("out", folder) == "1s" && !exists("x.bam", folder) && !exists("y.bam", folder))
    try folder.write("2", to: "in")
    #expect(try ran(folder) == "call index sort")
    #expect(text("out", folder) == "2s")
    #expect(try ran(folder) == "")
  }

  @Test func `temporary products are kept if a reader fails`() throws {
    let folder = try WorkflowFolder(["w.yaml": Self.chain, "in": "1", "ref": "r", "broken": ""])
    #expect(try ran(folder, fails: true) == "call index sort")
    #expect(!exists("x.bam", folder) && text("y.bam", folder) == "1")
    try FileManager.default.removeItem(at: folder.url.appendingPathComponent("broken"))
    #expect(try ran(folder) == "call")
    #expect(!exists("y.bam", folder) && text("out", folder) == "1r")
  }

  @Test func `temporary products are kept if they are not read, a reader did not run or the run returns them`() throws {
    let folder = try WorkflowFolder([
      "w.yaml": """
      name: w
      steps:
        a: { run: 'echo 1 > unread; echo 1 > output; echo 1 > half', produces: [{ path: unread, temporary: true }] }
        b: { run: 'echo 1 > output', produces: [{ path: output, temporary: true }] }
        c: { run: 'echo 1 > half', produces: [{ path: half, temporary: true }] }
        read: { needs: [a, b, c], run: cat output half, inputs-from: [output, half] }
        other: { needs: c, run: cat half, inputs-from: [half] }
      outputs: { file: output }

      """
    ])
    _ = try ran(folder, "read")
    #expect(exists("unread", folder) && exists("output", folder) && exists("half", folder))
  }

  @Test func `an item runs again only if a reader needs its files`() throws {
    let folder = try WorkflowFolder([
      "w.yaml": """
      name: w
      steps:
        align:
          foreach: { files: "raw/*.fq" }
          inputs-from: ["${{ item.path }}"]
          produces: [{ path: "bam/${{ item.stem }}.bam", temporary: true }]
          run: 'echo "align-$STEM" >> log; mkdir -p bam; cat "raw/$STEM.fq" > "bam/$STEM.bam"'
          env: { STEM: "${{ item.stem }}" }
        call:
          needs: align
          foreach: { files: "raw/*.fq" }
          inputs-from: ["bam/${{ item.stem }}.bam", "ref/${{ item.stem }}"]
          produces: ["vcf/${{ item.stem }}"]
          run: 'echo "call-$STEM" >> log; mkdir -p vcf; cat "bam/$STEM.bam" "ref/$STEM" > "vcf/$STEM"'
          env: { STEM: "${{ item.stem }}" }

      """, "raw/a.fq": "a", "raw/b.fq": "b", "ref/a": "1", "ref/b": "1", "ref/c": "1",
    ])
    #expect(try ran(folder) == "align-a align-b call-a call-b")
    #expect(!exists("bam/a.bam", folder) && !exists("bam/b.bam", folder))
    #expect(try ran(folder) == "")
    try folder.write("2", to: "ref/b")
    #expect(try ran(folder) == "align-b call-b")
    try folder.write("c", to: "raw/c.fq")
    #expect(try ran(folder) == "align-c call-c")
    #expect(try ran(folder) == "")
    #expect(text("vcf/a", folder) == "a1" && text("vcf/b", folder) == "b2" && text("vcf/c", folder) == "c1")
    #expect(!exists("bam/a.bam", folder) && !exists("bam/b.bam", folder) && !exists("bam/c.bam", folder))
  }

  @Test func `all products of a step are produced again if a reader needs all of them`() throws {
    let folder = try WorkflowFolder([
      "w.yaml": """
      name: w
      steps:
        part:
          foreach: { files: "raw/*" }
          inputs-from: ["${{ item.path }}"]
          produces: [{ path: "part/${{ item.name }}", temporary: true }]
          run: 'echo "part-$NAME" >> log; mkdir -p part; cat "raw/$NAME" > "part/$NAME"'
          env: { NAME: "${{ item.name }}" }
        merge:
          needs: part
          inputs-from: ["${{ steps.part.products }}"]
          produces: [all]
          uses: shell.run
          with: { command: 'echo merge >> log; cat "$@" > all', arguments: "${{ steps.part.products }}" }

      """, "raw/a": "a", "raw/b": "b",
    ])
    #expect(try ran(folder) == "merge part-a part-b")
    #expect(text("all", folder) == "ab" && !exists("part/a", folder))
    #expect(try ran(folder) == "")
    try folder.write("c", to: "raw/c")
    #expect(try ran(folder) == "merge part-a part-b part-c")
    #expect(text("all", folder) == "abc" && !exists("part/a", folder) && !exists("part/c", folder))
    #expect(try ran(folder) == "")
    try FileManager.default.removeItem(at: folder.url.appendingPathComponent("raw/b"))
    #expect(try ran(folder) == "merge part-a part-c")
    #expect(text("all", folder) == "ac")
    #expect(try ran(folder) == "")
  }

  @Test func `temporary files of included workflows are removed once no outer step will read them`() throws {
    let folder = try WorkflowFolder([
      "w.yaml": """
      name: w
      steps:
        one: { uses: ./inner.yaml, with: { n: one } }
        each: { uses: ./inner.yaml, foreach: [a, b], with: { n: "${{ item }}" } }
        last: { needs: [one, each], run: 'echo last >> log; cat t-a ref > all', inputs-from: [t-a, ref], produces: [all] }

      """,
      "inner.yaml": """
      name: inner
      inputs: { n: { type: string } }
      steps:
        make:
          run: 'echo "make-$N" >> log; cp in "t-$N"'
          env: { N: "${{ inputs.n }}" }
          inputs-from: [in]
          produces: [{ path: "t-${{ inputs.n }}", temporary: true }]
        use:
          needs: make
          run: 'echo "use-$N" >> log; cp "t-$N" "o-$N"'
          env: { N: "${{ inputs.n }}" }
          inputs-from: ["t-${{ inputs.n }}"]
          produces: ["o-${{ inputs.n }}"]

      """, "in": "1", "ref": "r",
    ])
    #expect(try ran(folder) == "last make-a make-b make-one use-a use-b use-one")
    #expect(exists("t-a", folder) && !exists("t-b", folder) && !exists("t-one", folder))
    try folder.write("s", to: "ref")
    #expect(try !ran(folder).contains("make-b"))
    #expect(text("all", folder) == "1s" && exists("t-a", folder))
    try folder.write("2", to: "in")
    #expect(try ran(folder) == "last make-a make-b make-one use-a use-b use-one")
    #expect(exists("t-a", folder) && !exists("t-b", folder) && text("o-b", folder) == "2")
  }

  @Test func `only products can be temporary`() throws {
    let folder = try WorkflowFolder([
      "w.yaml": "name: w\nsteps: { a: { run: cat, inputs-from: [{ path: x, temporary: true }] } }\n"
    ])
    let (text, status) = try folder.flowrun("validate", "w.yaml")
    #expect(status != 0 && text.contains("'temporary' can only be said of a file that the step makes"), "\(text)")
  }
}
