import Foundation
import Testing

/// The commands that a run suggests at its end must work in the current folder.
struct `Runs in subfolders` {
  private let tool: CommandLineTool

  init() throws { tool = try CommandLineTool() }

  private static let workflow = """
    name: part
    steps:
      good: { run: echo fine }
      bad: { run: "echo one; echo two; exit 3" }
      mute: { uses: flow.fail, with: { message: "no luck:\\n  at all" } }
      after: { uses: flow.noop, needs: bad }

    """

  @Test func `a run prints commands that work in the current folder`() throws {
    defer { tool.remove() }
    try tool.write(Self.workflow, to: "flows/w.yaml")
    let run = try tool.run("flows/w.yaml").standardOutput
    let commands = run.split(separator: "\n").filter { $0.contains(": flowrun ") }.map {
      $0.split(separator: " ").dropFirst(2).map(String.init)
    }
    #expect(
      commands == [["logs", "last", "--failed", "--in", "flows"], ["resume", "last", "--in", "flows"]], "\(run)")
    let failed = try tool.run(commands[0])
    let lines = failed.standardOutput.replacing(#/ in [0-9.]+ m?s/#, with: "")
    #expect(
      lines == """
        ✗ bad failed: exited with status 3: two ('echo one; echo two; exit 3') [command-failed]
        bad: one
        bad: two
        ✗ mute failed: no luck [failed]
          │ at all

        """, "\(failed)")
    #expect(try tool.run(commands[1]).exitCode == 1)
  }

  @Test func `a run writes one line per step to a pipe, and the output of a failure only once`() throws {
    defer { tool.remove() }
    try tool.write(Self.workflow, to: "w.yaml")
    let run = try tool.run("w.yaml").standardOutput
    for step in ["good succeeded", "bad failed", "mute failed", "after skipped"] {
      #expect(run.components(separatedBy: "  \(step)").count == 2, "\(run)")
    }
    #expect(!run.contains("started on") && run.components(separatedBy: "no luck").count == 2, "\(run)")
    #expect(run.contains("\nfailed: bad, mute\nskipped because of them: after\n"), "\(run)")
    // The command's output is quoted only if it has not been shown.
    #expect(
      run.contains(" (w.yaml:4): exited with status 3: two ('echo one; echo two; exit 3') [command-failed]\n")
        && !run.contains("| one"), "\(run)")
    // A resumed run reads the file by its absolute path.
    #expect(try tool.run("resume", "last").standardOutput.contains(" (w.yaml:4): exited with status 3"))
    #expect(run.contains("no luck:\n") && run.contains("  |   at all [failed]\n"), "\(run)")
    #expect(try tool.run("w.yaml", "--quiet").standardOutput.contains("  |   two [command-failed]\n"))
    let verbose = try tool.run("w.yaml", "--verbose").standardOutput
    #expect(verbose.contains("good started on ") && verbose.contains("critical path: "), "\(verbose)")
  }

  @Test func `runs are found if a single subfolder has runs, and otherwise the user must name the folder`() throws {
    defer { tool.remove() }
    let plain = Self.workflow.replacing("exit 3", with: "true")
    try tool.write(plain, to: "a/deep/w.yaml")
    _ = try tool.run("a/deep/w.yaml")
    for words in [["runs"], ["analyze", "last"], ["logs"], ["resume", "last", "--dry-run"]] {
      let found = try tool.run(words)
      #expect(found.exitCode == 0 && found.standardError == "flowrun: using the runs in 'a/deep'\n", "\(found)")
    }
    try tool.write(plain, to: "b/w.yaml")
    _ = try tool.run("b/w.yaml")
    let several = try tool.run("runs")
    #expect(
      several.exitCode == 64
        && several.standardError.contains(
          "no runs in this folder, but in 2 folders below it: 'b', 'a/deep'; name one, as in --in b"),
      "\(several)")
    #expect(try tool.run("runs", "--in", "a/deep").exitCode == 0)
    // The runs of the working folder itself take precedence.
    try tool.write(plain, to: "w.yaml")
    _ = try tool.run("w.yaml")
    #expect(try tool.run("runs").standardError.isEmpty)
  }

  @Test func `logs reports that a step printed nothing, and rejects conflicting options`() throws {
    defer { tool.remove() }
    try tool.write("name: n\nsteps: { a: { uses: flow.noop } }\n", to: "w.yaml")
    _ = try tool.run("w.yaml")
    let silent = try tool.run("logs", "last", "--step", "a")
    #expect(silent.exitCode == 0 && silent.standardError.contains("step 'a' printed nothing in run "), "\(silent)")
    #expect(try tool.run("logs", "last", "--failed").standardOutput.hasPrefix("no step of run "))
    #expect(try tool.run("logs", "last", "--failed", "--follow").exitCode == 64)
    #expect(try tool.run("logs", "last", "--failed", "--step", "a").exitCode == 64)
  }
}
