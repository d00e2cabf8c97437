import TestSupport
import Testing

struct SchemaTests {
  /// If this fails after a change to keys or actions, run `flowrun schema > workflows/workflow.schema.json`.
  @Test func `the stored schema equals the output of flowrun schema`() throws {
    let printed = try FlowrunProcess.run(["schema"], in: Repository.root.path)
    #expect(printed.exitCode == 0)
    let kept = try Repository.text("workflows/workflow.schema.json")
    #expect(printed.output == kept, "run: flowrun schema > workflows/workflow.schema.json")
  }

  @Test func `every workflow in the workflows folder is valid and causes no warnings`() throws {
    let files = Repository.files(below: "workflows", ending: ".yaml").map { Repository.root.path + "/" + $0 }
    #expect(!files.isEmpty)
    let result = try FlowrunProcess.run(["validate", "--format", "json"] + files)
    #expect(result.output == "[]\n", "\(result.output)")
    #expect(result.exitCode == 0, "\(result.errors)")
  }
}
