import Foundation
import TestSupport
import Testing

/// Resuming steps with items: the output of the command, and the idempotency keys that a service receives.
struct `Resumed items` {
  @Test func `no idempotency key is used twice if the list is reordered before a resume`()
    throws
  {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      """
      name: orders
      durable: true
      steps:
        a: { run: cat list }
        f:
          run: 'echo "$V ${FLOWRUN_KEY#*/} $FLOWRUN_ATTEMPT" >> log'
          needs: a
          foreach: "${{ fromJSON(steps.a.outputs.stdout) }}"
          env: { V: "${{ item }}" }

      """, to: "w.yaml")
    try tool.write("[\"x\", \"y\", \"z\"]", to: "list")
    #expect(try tool.run("w.yaml").exitCode == 0)
    try tool.write("[\"y\", \"x\", \"z\"]", to: "list")
    let resumed = try tool.run("resume", "last", "--from", "a")
    #expect(resumed.exitCode == 0 && resumed.standardOutput.contains("f: it needs 'a'; up to 3 items are kept"))
    #expect(resumed.standardOutput.contains("f: keeps 1 of 3 items"), "\(resumed)")
    let certain = try tool.run("resume", "last", "--from", "f[0]", "--dry-run")
    #expect(certain.standardOutput.contains("f: named on the command line; 2 items are kept\n"), "\(certain)")
    let lines = try tool.text(of: "log").split(separator: "\n").sorted()
    #expect(lines == ["x f[0] 1", "x f[1]~1 1", "y f[0]~1 1", "y f[1] 1", "z f[2] 1"])
  }

  @Test func `items of a changed step are rejected, kept or run again, depending on the options`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    let workflow = """
      name: changed
      steps:
        f:
          run: 'echo F-$V; test $V != z -o -e ok'
          foreach: [x, y, z]
          fail-fast: false
          env: { V: "${{ item }}" }
      outputs: { all: "${{ steps.f.outputs.stdout }}" }

      """
    try tool.write(workflow, to: "w.yaml")
    #expect(try tool.run("w.yaml").exitCode == 1)
    try tool.write("", to: "ok")
    try tool.write(workflow.replacing("F-", with: "G-"), to: "w.yaml")
    let refused = try tool.run("resume")
    #expect(refused.exitCode == 2, "\(refused)")
    #expect(refused.standardError.contains("w.yaml:3:3: error: items of step 'f'"), "\(refused)")
    #expect(refused.standardError.contains("--keep-changed") && refused.standardError.contains("--rerun-changed"))
    let kept = try tool.run("resume", "--keep-changed", "--dry-run")
    #expect(kept.standardOutput.contains("f: failure; up to 2 items are kept"), "\(kept)")
    let rerun = try tool.run("resume", "--rerun-changed")
    #expect(rerun.exitCode == 0 && rerun.standardOutput.contains("f: it has changed; none of its items is kept"))
    for value in ["x", "y", "z"] { #expect(rerun.standardOutput.contains("G-\(value)"), "\(rerun)") }
    #expect(!rerun.standardOutput.contains("F-"), "\(rerun)")
  }

  @Test func `an interrupted item with on-interrupt: fail is not run again, and its dependents are skipped`()
    throws
  {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      """
      name: once
      durable: true
      steps:
        f:
          run: 'echo $V >> log; test $V = x || { echo waits; exec sleep 60; }'
          foreach: [x, y]
          parallel: 1
          env: { V: "${{ item }}" }
          on-interrupt: fail
        behind: { uses: flow.noop, needs: f }

      """, to: "w.yaml")
    let process = try FlowrunProcess(["w.yaml"], in: tool.folder.path)
    #expect(process.waitForOutput("f[1] y: waits"))
    process.send(SIGKILL)
    _ = process.result()
    for arguments in [["resume", "--dry-run"], ["resume"], ["resume", "--dry-run"]] {
      let resumed = try tool.run(arguments)
      #expect(resumed.standardOutput.contains("(on-interrupt: fail; run them with --from): f[1]\n"), "\(resumed)")
      #expect(resumed.standardOutput.contains("skipped, because they depend on such a step: behind\n"), "\(resumed)")
      #expect(resumed.standardOutput.contains("runs again: nothing\n"), "\(resumed)")
    }
    #expect(try tool.text(of: "log") == "x\ny\n")
  }
}
