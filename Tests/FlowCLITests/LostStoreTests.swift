import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `A run whose store is removed` {
  private static func workflow(_ loss: String) -> String {
    """
    name: trial
    steps:
      a: { run: "\(loss)" }
      b: { run: echo b > b, needs: a }

    """
  }

  @Test(arguments: [
    "rm -r .flowrun", "mv .flowrun moved", "rm .flowrun/runs.sqlite", "mv .flowrun/runs.sqlite old",
    "rm .flowrun/runs.sqlite-wal", "rm .flowrun/runs.sqlite.lock",
    "cp .flowrun/runs.sqlite copy; mv copy .flowrun/runs.sqlite",
  ])
  func `a durable run fails at its next commit if its store was removed, moved or replaced`(_ loss: String) throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(Self.workflow(loss), to: "w.yaml")
    let run = try tool.run("w.yaml", "--durable")
    #expect(run.exitCode == 1 && run.standardOutput.contains("trial: failure"), "\(run)")
    #expect((run.standardOutput + run.standardError).contains("was removed, moved or replaced"), "\(run)")
    #expect(!FileManager.default.fileExists(atPath: tool.folder.path + "/b"))
  }

  @Test func `a run that is not durable succeeds with a warning if its store was removed`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(Self.workflow("true"), to: "w.yaml")
    #expect(try tool.run("w.yaml").exitCode == 0)
    // The run is recorded before the folder is removed.
    let isRecorded = "'\(FlowrunProcess.path)' runs --state running | grep -q trial"
    try tool.write(Self.workflow("until \(isRecorded); do sleep 0.05; done; rm -r .flowrun"), to: "w.yaml")
    let run = try tool.run("w.yaml")
    #expect(run.exitCode == 0 && run.standardOutput.contains("warning: history: "), "\(run)")
  }

  @Test func `runs can be read from the main file of a store alone, and from a backup`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(Self.workflow("echo a"), to: "w.yaml")
    _ = try tool.run("w.yaml")
    _ = try tool.run("w.yaml", "--durable")
    let backup = try tool.run("runs", "backup", "copy.sqlite")
    #expect(backup.exitCode == 0 && backup.standardOutput.hasPrefix("2 runs were copied to '"), "\(backup)")
    #expect(try tool.run("runs", "backup", "copy.sqlite").exitCode == 64)
    let list = try tool.run("runs").standardOutput
    let store = tool.folder.path + "/.flowrun/runs.sqlite"
    for end in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: store + end) }
    #expect(try tool.run("runs").standardOutput == list)
    try FileManager.default.removeItem(atPath: tool.folder.path + "/.flowrun")
    try FileManager.default.createDirectory(atPath: tool.folder.path + "/.flowrun", withIntermediateDirectories: false)
    try FileManager.default.moveItem(
      atPath: tool.folder.path + "/copy.sqlite", toPath: tool.folder.path + "/.flowrun/runs.sqlite")
    #expect(try tool.run("runs").standardOutput == list)
    #expect(try tool.run("logs", "last").standardOutput == "a: a\n")
    _ = try tool.run("w.yaml")
    #expect(try tool.run("runs").standardOutput.split(separator: "\n").count == 3)
  }

  @Test func `pruning a store frees disk space`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write("name: trial\nsteps: { a: { run: seq 1 60000 } }\n", to: "w.yaml")
    for _ in 0..<4 { _ = try tool.run("w.yaml") }
    let path = tool.folder.path + "/.flowrun/runs.sqlite"
    func bytes() throws -> Int {
      try ["", "-wal"].reduce(0) {
        $0 + (try FileManager.default.attributesOfItem(atPath: path + $1)[.size] as? Int ?? 0)
      }
    }
    let before = try bytes()
    #expect(try tool.run("runs", "prune", "--keep", "1").standardOutput == "3 runs were deleted\n")
    #expect(try bytes() < before / 2, "\(before)")
    #expect(try tool.run("logs", "last").standardOutput.hasSuffix("a: 60000\n"))
  }
}
