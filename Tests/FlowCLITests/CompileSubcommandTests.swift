import Foundation
import Testing

/// `flowrun compile`, and the commands that read compiled files.
@Suite(.timeLimit(.minutes(10))) struct CompileSubcommandTests {
  @Test func `a compiled workflow can be run, validated and drawn like its YAML file`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      """
      name: whole
      outputs: { got: "${{ steps.part.outputs.text }}" }
      steps:
        part: { uses: ./parts/part.yaml, with: { file: note.txt } }
        each: { uses: ./parts/part.yaml, foreach: [note.txt], with: { file: "${{ item }}" } }

      """, to: "whole.yaml")
    try tool.write(
      """
      name: part
      inputs: { file: { type: string } }
      outputs: { text: "${{ steps.read.outputs.stdout }}" }
      steps:
        read: { run: 'cat "$FILE"', env: { FILE: "${{ inputs.file }}" } }

      """, to: "parts/part.yaml")
    try tool.write("from the part", to: "parts/note.txt")
    try tool.write("from the whole", to: "note.txt")
    #expect(
      try tool.run("compile", "whole.yaml") == .init(exitCode: 0, standardOutput: "", standardError: ""))
    #expect(try tool.run("compile", tool.folder.path + "/whole.yaml", "-o", "other.flow").exitCode == 0)
    let bytes = try Data(contentsOf: tool.folder.appendingPathComponent("whole.flow"))
    #expect(try Data(contentsOf: tool.folder.appendingPathComponent("other.flow")) == bytes)
    #expect(try tool.run("graph", "whole.flow").standardOutput == tool.run("graph", "whole.yaml").standardOutput)
    #expect(try tool.run("validate", "whole.flow").standardOutput.hasPrefix("whole.flow: valid, "))
    for file in ["whole.yaml", "whole.flow"] {
      let run = try tool.run(file, "--quiet", "--report", "\(file).json")
      #expect(run.exitCode == 0, "\(file): \(run.standardError)")
    }
    func got(_ name: String) throws -> String? {
      let report = try JSONSerialization.jsonObject(with: Data(try tool.text(of: name).utf8)) as? [String: Any]
      return (report?["outputs"] as? [String: Any])?["got"] as? String
    }
    let expected = try got("whole.yaml.json")
    #expect(expected != nil)
    #expect(try got("whole.flow.json") == expected)
  }

  @Test func `a durable run of a compiled workflow can be resumed`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      """
      name: twice
      durable: true
      steps:
        first: { run: echo first >> ran.txt }
        second: { run: "test -e go", needs: first }

      """, to: "twice.yaml")
    #expect(try tool.run("compile", "twice.yaml").exitCode == 0)
    #expect(try tool.run("twice.flow").exitCode == 1)
    try tool.write("", to: "go")
    let resumed = try tool.run("resume", "last")
    #expect(resumed.exitCode == 0, "\(resumed.standardOutput)\(resumed.standardError)")
    #expect(try tool.text(of: "ran.txt") == "first\n")
  }

  @Test func `compile rejects an invalid or compiled workflow and does not overwrite the source`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    let yaml = "name: a\nsteps: { a: { uses: flow.noop } }\n"
    try tool.write(yaml, to: "a.yaml")
    try tool.write("name: b\nsteps: { a: { uses: flow.nop } }\n", to: "b.yaml")
    let over = try tool.run("compile", "a.yaml", "-o", "./a.yaml")
    #expect(over.exitCode == 64 && over.standardError.contains("that is the workflow itself"), "\(over)")
    #expect(try tool.text(of: "a.yaml") == yaml)
    let broken = try tool.run("compile", "b.yaml")
    #expect(broken.exitCode == 2 && broken.standardError.contains("b.yaml:2:"), "\(broken)")
    #expect(!FileManager.default.fileExists(atPath: tool.folder.appendingPathComponent("b.flow").path))
    #expect(try tool.run("compile", "a.yaml").exitCode == 0)
    let again = try tool.run("compile", "a.flow", "-o", "c.flow")
    #expect(again.exitCode == 64 && again.standardError.contains("is compiled already"), "\(again)")
    let missing = try tool.run("compile", "a.yaml", "-o", "no/such/folder/a.flow")
    #expect(missing.exitCode == 74, "\(missing)")
    var bytes = [UInt8](try Data(contentsOf: tool.folder.appendingPathComponent("a.flow")))
    bytes[bytes.count / 2] ^= 0xFF
    try Data(bytes).write(to: tool.folder.appendingPathComponent("d.flow"))
    let damaged = try tool.run("d.flow")
    #expect(damaged.exitCode == 2 && damaged.standardError.contains("compile it again [compiled-file]"), "\(damaged)")
  }
}
