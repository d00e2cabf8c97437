import FlowModel
import Foundation
import TestSupport
import Testing

/// What commands write, as whoever runs a workflow sees it.
@Suite(.timeLimit(.minutes(2))) struct CommandOutputTests {
  private let tool: CommandLineTool

  init() throws {
    tool = try CommandLineTool()
    try tool.write(
      """
      name: output
      steps:
        told: { uses: shell.run, with: { command: "echo one; echo two >&2" } }
        silent: { uses: shell.run, quiet: true, with: { command: echo silent } }
        failed:
          uses: shell.run
          optional: true
          with: { command: "echo the real error; sleep 0.05; echo noise >&2; exit 3" }
      """, to: "output.yaml")
  }

  @Test func `every line is a log line of its step, with its stream`() throws {
    defer { tool.remove() }
    let lines = try tool.run("output.yaml", "--json").standardOutput.split(separator: "\n")
    let logs = try lines.compactMap { try JSONText.parse(String($0)).objectValue }.filter { $0["event"] == "step.log" }
    let told = Set(logs.map { [$0["step"], $0["stream"], $0["message"]] })
    #expect(
      told == [
        ["told", "stdout", "one"], ["told", "stderr", "two"], ["failed", "stdout", "the real error"],
        ["failed", "stderr", "noise"],
      ])
  }

  @Test func `a run that is quiet shows none, and a failure quotes both outputs all the same`() throws {
    defer { tool.remove() }
    let loud = try tool.run("output.yaml").standardOutput
    #expect(loud.contains("told: one") && loud.contains("told: two") && !loud.contains("silent: silent"))
    let quiet = try tool.run("output.yaml", "--quiet").standardOutput
    #expect(!quiet.contains("told: one"))
    #expect(quiet.contains("the real error") && quiet.contains("noise"))
  }

  @Test func `a command writes as much as it likes, and what is told of it waits for who reads`() throws {
    defer { tool.remove() }
    try tool.write(
      """
      name: much
      steps:
        much: { uses: shell.run, with: { command: "seq 200000" } }
        after: { uses: shell.run, needs: much, if: "${{ endsWith(steps.much.outputs.stdout, '200000\\n') }}", with: { command: echo } }
      """, to: "much.yaml")
    let output = try tool.run("much.yaml")
    #expect(output.exitCode == 0)
    #expect(output.standardOutput.contains("much: 1\n") && output.standardOutput.contains("much: 200000\n"))
    #expect(output.standardOutput.contains("after done"))
  }

  @Test func `where descriptors are scarce, commands wait for those of others`() throws {
    defer { tool.remove() }
    var text = "name: scarce\nsteps:\n"
    for step in 0..<60 { text += "  s\(step): { uses: shell.run, with: { command: sleep 0.2 } }\n" }
    try tool.write(text, to: "scarce.yaml")
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "ulimit -n 64; exec '\(FlowrunProcess.path)' scarce.yaml > out 2>&1"]
    process.currentDirectoryURL = tool.folder
    try process.run()
    process.waitUntilExit()
    let output = try String(contentsOf: tool.folder.appending(path: "out"), encoding: .utf8)
    #expect(process.terminationStatus == 0, "\(output.suffix(500))")
    #expect(output.contains("60 done"))
  }
}
