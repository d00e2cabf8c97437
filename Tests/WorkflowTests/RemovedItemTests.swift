import Foundation
import TestSupport
import Testing

/// Tests the files of items that are no longer in the list of their step.
@Suite(.timeLimit(.minutes(3))) struct RemovedItemTests {
  private static let workflow = """
    name: w
    inputs: { list: { type: array, default: [a, b, c] }, other: { type: string, default: none } }
    steps:
      list: { run: 'test ! -e broken', optional: true }
      clean:
        needs: list
        foreach: "${{ inputs.list }}"
        produces: ["clean/${{ item }}"]
        run: 'mkdir -p clean; echo "$N" > "clean/$N"'
        env: { N: "${{ item }}" }
      other: { if: "inputs.other != 'none'", run: 'mkdir -p clean; echo 1 > "clean/$N"', env: { N: "${{ inputs.other }}" }, produces: ["clean/${{ inputs.other }}"] }

    """

  private func made() throws -> WorkflowFolder {
    let folder = try WorkflowFolder(["w.yaml": Self.workflow])
    #expect(try folder.flowrun("w.yaml").status == 0)
    return folder
  }

  private func files(_ folder: WorkflowFolder, _ name: String = "clean") throws -> String {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.appendingPathComponent(name).path).sorted()
      .joined(separator: " ")
  }

  private func run(_ folder: WorkflowFolder, _ list: String, _ arguments: String...) throws -> String {
    let result = try FlowrunProcess.run(["w.yaml", "-i", "list=\(list)"] + arguments, in: folder.url.path)
    #expect(result.exitCode == 0, "\(result)")
    return result.output + result.errors
  }

  @Test func `files of removed items are reported, and --clean-removed removes them`() throws {
    let folder = try made()
    let reported = try run(folder, #"["a"]"#)
    #expect(
      reported.contains(
        "items that are no longer in its list have left 'clean/b', 'clean/c'; --clean-removed removes them"),
      "\(reported)")
    #expect(try files(folder) == "a b c")
    #expect(try run(folder, #"["a"]"#).contains("have left"))
    let explained = try run(folder, #"["a"]"#, "--explain")
    #expect(
      explained.contains("  left by an item that is gone: 'clean/b' (--clean-removed removes it)"), "\(explained)")
    let planned = try run(folder, #"["a"]"#, "--explain", "--clean-removed")
    #expect(planned.contains("  would remove 'clean/b'\n  would remove 'clean/c'"), "\(planned)")
    #expect(try files(folder) == "a b c")
    let cleaned = try run(folder, #"["a"]"#, "--clean-removed")
    #expect(cleaned.contains("removed 'clean/b'") && cleaned.contains("removed 'clean/c'"), "\(cleaned)")
    #expect(try files(folder) == "a")
    #expect(try !run(folder, #"["a"]"#, "--clean-removed").contains("removed"))
    // An item that is added again produces its file again.
    _ = try run(folder, #"["b","a"]"#)
    #expect(try files(folder) == "a b")
  }

  @Test func `files of removed items are kept if the list is empty, an upstream step failed or the run fails`() throws {
    let folder = try made()
    #expect(try run(folder, "[]", "--clean-removed").contains("kept, because its list is empty"))
    #expect(try run(folder, "[]", "--explain", "--clean-removed").contains("would keep 'clean/a': its list is empty"))
    try folder.write("", to: "broken")
    #expect(try run(folder, #"["a"]"#, "--clean-removed").contains("kept, because a step before it did not succeed"))
    try FileManager.default.removeItem(at: folder.url.appendingPathComponent("broken"))
    try folder.write(Self.workflow + "  fails: { run: exit 1 }\n", to: "w.yaml")
    let (text, status) = try folder.flowrun("w.yaml", "-i", #"list=["a"]"#, "--clean-removed")
    #expect(status == 1 && text.contains("kept, because the run did not succeed"), "\(text)")
    #expect(try files(folder) == "a b c")
  }

  @Test func `files of removed items are kept if changed, in a linked folder or produced by another step`() throws {
    let folder = try made()
    try folder.write("mine", to: "clean/b")
    #expect(try run(folder, #"["a"]"#, "--clean-removed").contains("kept 'clean/b': it has changed since"))
    #expect(try files(folder) == "a b")
    _ = try run(folder, #"["a","b","c"]"#)
    #expect(try !run(folder, #"["a","b"]"#, "-i", "other=c", "--clean-removed").contains("removed"))
    #expect(try files(folder) == "a b c")
    // The other step's record counts even if that step does not run.
    #expect(try !run(folder, #"["a","b"]"#, "--clean-removed").contains("removed"))
    let outside = try WorkflowFolder(["b": "b\n"])
    let place = folder.url.appendingPathComponent("clean")
    try FileManager.default.removeItem(at: place)
    try FileManager.default.createSymbolicLink(atPath: place.path, withDestinationPath: outside.url.path)
    _ = try run(folder, #"["a"]"#, "--clean-removed")
    #expect(FileManager.default.fileExists(atPath: outside.url.appendingPathComponent("b").path))
  }

  @Test func `files of an item are kept if its condition skips it`() throws {
    let folder = try WorkflowFolder([
      "w.yaml": """
      name: w
      inputs: { skip: { type: string, default: none } }
      steps:
        clean:
          foreach: [a, b]
          if: item != inputs.skip
          produces: ["clean/${{ item }}"]
          run: 'mkdir -p clean; echo "$N" > "clean/$N"'
          env: { N: "${{ item }}" }

      """
    ])
    #expect(try folder.flowrun("w.yaml").status == 0)
    let (text, status) = try folder.flowrun("w.yaml", "-i", "skip=b", "--clean-removed")
    #expect(status == 0 && !text.contains("left") && !text.contains("removed"), "\(text)")
    #expect(try files(folder) == "a b")
  }

  @Test func `files of removed items that ran a workflow are reported and removed as well`() throws {
    let folder = try WorkflowFolder([
      "sub/inner.yaml": """
      name: inner
      inputs: { n: { type: string } }
      steps:
        copy: { run: 'mkdir -p out; echo 1 > "out/$N"', env: { N: "${{ inputs.n }}" }, produces: ["out/${{ inputs.n }}"] }

      """,
      "w.yaml": """
      name: w
      inputs: { list: { type: array, default: [a, b] } }
      steps:
        each: { foreach: "${{ inputs.list }}", uses: ./sub/inner.yaml, with: { n: "${{ item }}" } }

      """,
    ])
    #expect(try folder.flowrun("w.yaml").status == 0)
    #expect(try run(folder, #"["a"]"#).contains("have left 'out/b'"))
    #expect(try run(folder, #"["a"]"#, "--explain", "--clean-removed").contains("  would remove 'out/b'"))
    #expect(try run(folder, #"["a"]"#, "--clean-removed").contains("removed 'out/b'"))
    #expect(try files(folder, "sub/out") == "a")
  }
}
