import Foundation
import TestSupport
import Testing

/// Tests the records that determine whether the steps in an item's workflow are up to date.
@Suite(.timeLimit(.minutes(10))) struct ItemRecordTests {
  private func made(_ foreach: String, inputs: String) throws -> WorkflowFolder {
    try WorkflowFolder([
      "inner.yaml": """
      name: inner
      inputs: { n: { type: string } }
      steps:
        copy:
          run: 'mkdir -p out; cp "raw/$N" "out/$N"; echo "copied $N"'
          env: { N: "${{ inputs.n }}" }
          inputs-from: ["raw/${{ inputs.n }}"]
          produces: ["out/${{ inputs.n }}"]

      """,
      "main.yaml": """
      name: main
      inputs: { list: { type: \(inputs) } }
      steps:
        each: { foreach: "\(foreach)", uses: ./inner.yaml, with: { n: "${{ item }}" } }

      """,
      "raw/a": "a", "raw/b": "b", "raw/c": "c",
    ])
  }

  /// Runs the workflow and returns the items that were copied.
  private func copied(_ list: String, in folder: WorkflowFolder) throws -> String {
    let (text, status) = try folder.flowrun("main.yaml", "-i", "list=\(list)")
    #expect(status == 0, "\(text)")
    return ["a", "b", "c"].filter { text.contains("copied \($0)") }.joined()
  }

  @Test func `steps of existing items are not repeated if items are added in front, reordered or removed`() throws {
    let folder = try made("${{ inputs.list }}", inputs: "array")
    #expect(try copied(#"["b","c"]"#, in: folder) == "bc")
    #expect(try copied(#"["a","b","c"]"#, in: folder) == "a")
    #expect(try copied(#"["c","a","b"]"#, in: folder) == "")
    #expect(try copied(#"["b"]"#, in: folder) == "")
    #expect(try copied(#"["a","b","c"]"#, in: folder) == "")
    try folder.write("other", to: "raw/b")
    #expect(try copied(#"["c","b"]"#, in: folder) == "b")
  }

  @Test func `items of a mapping are recorded by key, whatever their order`() throws {
    let folder = try made("${{ inputs.list }}", inputs: "object")
    #expect(try copied(#"{"x":"b","y":"c"}"#, in: folder) == "bc")
    #expect(try copied(#"{"w":"a","y":"c","x":"b"}"#, in: folder) == "a")
  }
}
