import Foundation
import TestSupport
import Testing

/// A run belongs to the folder of its store. If the folder is moved, the run belongs to the new path.
struct `Runs of copied and moved folders` {
  private static let workflow = """
    name: w
    inputs: { source: { type: path, default: raw.txt } }
    steps:
      place: { run: 'echo "path=$PWD/out" >> $FLOWRUN_OUTPUT', outputs: { path: { type: string } } }
      plain: { run: echo plain >> plain.txt }
      load:
        needs: [place, plain]
        run: 'test -e again || { touch again; exit 1; }; echo "$P $S" >> table.txt'
        env: { P: "${{ steps.place.outputs.path }}", S: "${{ inputs.source }}" }

    """

  /// Creates a folder `prod` that contains a failed run.
  private func tool() throws -> CommandLineTool {
    let tool = try CommandLineTool()
    try tool.write(Self.workflow, to: "prod/w.yaml")
    #expect(try tool.run("prod/w.yaml").exitCode == 1)
    return tool
  }

  private func copy(_ from: String, to: String, in tool: CommandLineTool) throws {
    let (status, output) = try Shell.run("cd '\(tool.folder.path)' && cp -a '\(from)' '\(to)'")
    #expect(status == 0, "\(output)")
  }

  @Test func `the error for resuming a run in a copied folder names both folders`() throws {
    let tool = try tool()
    defer { tool.remove() }
    try copy("prod", to: "debug", in: tool)
    for run in ["last", "debug/w.yaml"] {
      let refused = try tool.run("resume", run, "--in", "debug")
      #expect(refused.exitCode == 2, "\(refused)")
      for folder in ["prod", "debug"] { #expect(refused.standardError.contains("/\(folder)'"), "\(refused)") }
    }
    #expect(!FileManager.default.fileExists(atPath: tool.folder.path + "/prod/table.txt"))
    let listed = try tool.run("runs", "debug/w.yaml", "--json").standardOutput
    #expect(listed.contains("/debug/w.yaml") && !listed.contains("/prod/w.yaml"), "\(listed)")
  }

  @Test func `resume --here continues a copied run and repeats steps whose outputs contain the old folder`() throws {
    let tool = try tool()
    defer { tool.remove() }
    try copy("prod", to: "debug", in: tool)
    let before = try tool.run("runs", "--json", "--in", "prod").standardOutput
    let resumed = try tool.run("resume", "last", "--here", "--in", "debug")
    #expect(resumed.exitCode == 0 && resumed.standardOutput.contains("kept: plain\n"), "\(resumed)")
    #expect(resumed.standardOutput.contains("place: its outputs name the folder '"), "\(resumed)")
    #expect(try tool.text(of: "debug/table.txt").contains("/debug/out "))
    #expect(try tool.text(of: "debug/table.txt").hasSuffix("/debug/raw.txt\n"))
    #expect(try tool.text(of: "debug/plain.txt") == "plain\n")
    #expect(!FileManager.default.fileExists(atPath: tool.folder.path + "/prod/table.txt"))
    #expect(try tool.run("runs", "--json", "--in", "prod").standardOutput == before)
    // From now on, the new run belongs to the copy. The original run is still unfinished.
    #expect(try tool.run("resume", "last", "--in", "debug").standardOutput.contains("nothing is left to do"))
    #expect(try tool.run("resume", "last", "--in", "prod").exitCode == 0)
    #expect(try tool.text(of: "prod/table.txt").contains("/prod/out "))
  }

  @Test(arguments: [false, true])
  func `a run in a moved folder is resumed at the new path`(hasClone: Bool) throws {
    let tool = try tool()
    defer { tool.remove() }
    try FileManager.default.moveItem(atPath: tool.folder.path + "/prod", toPath: tool.folder.path + "/moved")
    if hasClone { try tool.write(Self.workflow, to: "prod/w.yaml") }
    let resumed = try tool.run("resume", "moved/w.yaml")
    #expect(resumed.exitCode == 0 && resumed.standardOutput.contains("kept: plain\n"), "\(resumed)")
    #expect(try tool.text(of: "moved/table.txt").hasSuffix("/moved/raw.txt\n"))
    #expect(!FileManager.default.fileExists(atPath: tool.folder.path + "/prod/table.txt"))
    // A copy of the moved folder belongs to the new path.
    try copy("moved", to: "second", in: tool)
    let refused = try tool.run("resume", "last", "--from", "load", "--in", "second")
    #expect(refused.exitCode == 2 && refused.standardError.contains("/moved'"), "\(refused)")
  }

  @Test func `runs are found through a symbolic link to their folder`() throws {
    let tool = try tool()
    defer { tool.remove() }
    try FileManager.default.createSymbolicLink(
      atPath: tool.folder.path + "/link", withDestinationPath: "prod")
    let resumed = try tool.run("resume", "last", "--in", "link")
    #expect(resumed.exitCode == 0 && resumed.standardOutput.contains("kept: place, plain\n"), "\(resumed)")
    #expect(try tool.run("runs", "link/w.yaml", "--in", "prod").standardOutput.contains("success"))
  }

  @Test func `cancel, post and answer in a copied folder do not affect the original run`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      """
      name: w
      steps: { go: { uses: flow.ask, with: { question: "Ship it?", choices: [ship, stop] } } }

      """, to: "prod/w.yaml")
    let process = try FlowrunProcess(["prod/w.yaml", "--durable", "--verbose"], in: tool.folder.path)
    defer { process.send(SIGKILL) }
    #expect(process.waitForOutput("asks: Ship it?"))
    let isRecorded = try within(seconds: 30) {
      try tool.run("runs", "--in", "prod").standardOutput.contains("running")
    }
    #expect(isRecorded, "\(process.outputSoFar) \(process.errorsSoFar)")
    try copy("prod", to: "debug", in: tool)
    for words in [["cancel", "last"], ["post", "last", "go"], ["answer", "last", "go", "ship"]] {
      let refused = try tool.run(words + ["--in", "debug"])
      #expect(refused.exitCode == 1 && refused.standardError.contains("/prod'"), "\(refused)")
    }
    #expect(try tool.run("resume", "last", "--in", "debug").exitCode == 2)
    #expect(try tool.run("answer", "last", "go", "stop", "--in", "prod").exitCode == 0)
    #expect(process.result().exitCode == 0)
  }
}
