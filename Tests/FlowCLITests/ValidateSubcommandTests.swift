import FlowModel
import Testing

@Suite(.timeLimit(.minutes(10))) struct ValidateSubcommandTests {
  private func tool() throws -> CommandLineTool {
    let tool = try CommandLineTool()
    try tool.write("name: fine\nsteps: { a: { uses: flow.noop } }\n", to: "fine.yaml")
    try tool.write("name: broken\nsteps: { a: { uses: flow.nop } }\n", to: "broken.yaml")
    return tool
  }

  @Test func `validate reports that a file is valid`() throws {
    let tool = try tool()
    defer { tool.remove() }
    #expect(
      try tool.run("validate", "fine.yaml")
        == .init(exitCode: 0, standardOutput: "fine.yaml: valid, 1 step\n", standardError: ""))
  }

  @Test func `validate reports all problems of all files and exits with 2`() throws {
    let tool = try tool()
    defer { tool.remove() }
    let output = try tool.run("validate", "broken.yaml", "fine.yaml", "missing.yaml")
    #expect(output.exitCode == 2)
    #expect(output.standardOutput.hasPrefix("broken.yaml:2:21: error: "))
    #expect(output.standardOutput.contains("did you mean 'flow.noop'?"))
    #expect(output.standardOutput.hasSuffix("fine.yaml: valid, 1 step\n1 error, 0 warnings\n"))
    #expect(output.standardError == "flowrun: cannot read the workflow 'missing.yaml': No such file or directory\n")
  }

  @Test func `validate --format prints diagnostics as JSON or SARIF`() throws {
    let tool = try tool()
    defer { tool.remove() }
    let json = try tool.run("validate", "broken.yaml", "--format", "json")
    #expect(json.exitCode == 2)
    let diagnostic = try JSONText.parse(json.standardOutput).arrayValue?.first?.objectValue
    #expect(diagnostic?["code"] == "unknown-action")
    #expect(diagnostic?["line"] == 2)
    let sarif = try JSONText.parse(try tool.run("validate", "broken.yaml", "--format", "sarif").standardOutput)
    #expect(sarif.objectValue?["version"] == "2.1.0")
    #expect(try tool.run("validate", "fine.yaml", "--format", "json").standardOutput == "[]\n")
  }

  @Test func `validate reports a missing input once, even if the action's own check requires it`() throws {
    let tool = try tool()
    defer { tool.remove() }
    try tool.write(
      """
      name: notes
      steps:
        open: { uses: storage.open, with: { path: notes.sqlite } }
        write: { uses: storage.execute, needs: open, with: { arguments: [1] } }

      """, to: "notes.yaml")
    let output = try tool.run("validate", "notes.yaml").standardOutput
    #expect(output.contains("step 'write' lacks the input 'sql' of 'storage.execute' [missing-input]"), "\(output)")
    #expect(output.hasSuffix("1 error, 0 warnings\n"), "\(output)")
  }

  @Test func `the error for running a record schema suggests validate`() throws {
    let tool = try tool()
    defer { tool.remove() }
    try tool.write("name: notes\nversion: 1\ncollections: { note: { fields: { text: string } } }\n", to: "n.sync.yaml")
    let output = try tool.run("n.sync.yaml")
    #expect(output.exitCode == 2)
    #expect(
      output.standardError
        == "flowrun: 'n.sync.yaml' is a schema of records, not a workflow; run the workflow that names it in 'sync.connect', "
        + "or check it with 'flowrun validate'\n")
  }
}
