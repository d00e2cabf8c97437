import Foundation
import TestSupport
import Testing

/// Running and resumed runs, and the questions of their steps.
struct `Runs in progress` {
  private func object(_ text: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  /// Waits until the state of the newest run is `state`.
  private func wait(for state: String, in tool: CommandLineTool) throws {
    let isReached = try within(seconds: 30) {
      let list = try tool.run("runs", "--json").standardOutput
      let runs = (try? JSONSerialization.jsonObject(with: Data(list.utf8))) as? [[String: Any]]
      return runs?.first?["state"] as? String == state
    }
    #expect(isReached, "the run is never '\(state)'")
  }

  private static let question = """
    name: question
    steps:
      go:
        uses: flow.ask
        with: { question: "Ship it?", choices: [ship, stop] }
      act: { uses: flow.log, needs: go, with: { message: "${{ steps.go.outputs.choice }} it" } }

    """

  @Test func `an answer is passed to the step that asks, and an invalid answer is rejected with a suggestion`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(Self.question, to: "w.yaml")
    let process = try FlowrunProcess(["w.yaml"], in: tool.folder.path)
    defer { process.send(SIGKILL) }
    #expect(process.waitForOutput("go: asks: Ship it? (ship; stop); flowrun answer "))
    try wait(for: "running", in: tool)
    for (arguments, answer) in [
      (["ga", "ship"], "this workflow has no step 'ga'; did you mean 'go'?"),
      (["act", "ship"], "step 'act' is not asking anything; the asking steps are 'go'"),
      (["go", "shop"], "'shop' is not a choice of step 'go'; the choices are ship, stop; did you mean 'ship'?"),
    ] {
      let refused = try tool.run(["answer", "last"] + arguments)
      #expect(refused.exitCode == 64 && refused.standardError.contains(answer), "\(refused)")
    }
    let valued = try tool.run("post", "last", "go=1")
    #expect(
      valued.exitCode == 64 && valued.standardError.contains("write the value as --value"), "\(valued)")
    let answered = try tool.run("answer", "last", "go", "ship")
    #expect(answered.exitCode == 0 && answered.standardOutput.contains("has its answer: ship"), "\(answered)")
    let result = process.result()
    #expect(result.exitCode == 0 && result.output.contains("act: ship it"), "\(result)")
  }

  @Test(arguments: [("perhaps\\n2\\n", "stop"), ("ship\\n", "ship"), ("SHIP\\n", "ship"), ("\\n1\\n", "ship")])
  func `a question on the terminal accepts a choice or its number`(typed: String, choice: String)
    throws
  {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(Self.question, to: "w.yaml")
    for term in ["dumb", "xterm"] {
      let (status, output) = try Shell.run(
        """
        cd '\(tool.folder.path)'; printf '\(typed)' | CI= TERM=\(term) \
          script -qec "'\(FlowrunProcess.path)' w.yaml" /dev/null
        """)
      #expect(status == 0 && output.contains("[1] ship  [2] stop > "), "\(output)")
      #expect(output.contains(" chose \(choice)") && output.contains("act: \(choice) it"), "\(output)")
    }
  }

  @Test func `an unanswered question is asked again after a resume`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(Self.question, to: "w.yaml")
    let first = try FlowrunProcess(["w.yaml", "--durable"], in: tool.folder.path)
    #expect(first.waitForOutput("asks: Ship it?"))
    first.send(SIGKILL)
    _ = first.result()
    let second = try FlowrunProcess(["resume"], in: tool.folder.path)
    defer { second.send(SIGKILL) }
    #expect(second.waitForOutput("asks: Ship it?"))
    #expect(try tool.run("answer", "last", "go", "stop").exitCode == 0)
    let result = second.result()
    #expect(result.exitCode == 0 && result.output.contains("act: stop it"), "\(result)")
  }

  @Test func `exactly one of two waiting processes takes over a run when its owner is killed`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      """
      name: standby
      durable: true
      steps:
        a: { uses: shell.run, with: { command: "echo a >> log" } }
        b: { uses: shell.run, needs: a, with: { command: "test -e ok || exec sleep 60; echo b >> log" } }

      """, to: "w.yaml")
    let first = try FlowrunProcess(["w.yaml", "--verbose"], in: tool.folder.path)
    #expect(first.waitForOutput("b started"))
    let standbys = try (0..<2).map { _ in try FlowrunProcess(["resume", "--wait", "w.yaml"], in: tool.folder.path) }
    for standby in standbys { #expect(standby.waitForErrors("waiting")) }
    try tool.write("", to: "ok")
    first.send(SIGKILL)
    _ = first.result()
    let results = standbys.map { $0.result() }
    #expect(results.map(\.exitCode) == [0, 0], "\(results)")
    #expect(results.filter { $0.output.contains(" b succeeded in ") }.count == 1)
    #expect(try tool.text(of: "log") == "a\nb\n")
    let shown = try object(try tool.run("runs", "show", "last", "--json").standardOutput)
    let epochs = try #require(shown["epochs"] as? [[String: Any]])
    #expect(
      epochs.compactMap { $0["epoch"] as? Int } == [1, 2] && epochs[0]["pid"] as? Int != epochs[1]["pid"] as? Int)
    let steps = try #require(shown["steps"] as? [String: [String: Any]])
    #expect(steps["a"]?["kept"] as? Bool == true && steps["b"]?["kept"] as? Bool == false)
    #expect(try tool.run("resume", "--wait", "--dry-run", "last").exitCode == 64)
  }

  @Test func `resume requires an option such as --rerun-changed if the program of a plugin has changed`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    #expect(try tool.run("plugins", "new", "loud", "--language", "python").exitCode == 0)
    try tool.write(
      """
      name: external
      steps:
        say: { uses: loud.text, with: { text: hello } }
        last: { uses: shell.run, needs: say, with: { command: "test -e ok" } }

      """, to: "w.yaml")
    let first = try tool.run("w.yaml")
    #expect(first.exitCode == 1 && first.standardOutput.contains("say succeeded"), "\(first)")
    #expect(try tool.run("resume", "--dry-run").standardOutput.contains("kept: say\n"))
    let program = "plugins/loud/plugin.py"
    try tool.write(try tool.text(of: program) + "# changed\n", to: program)
    let refused = try tool.run("resume")
    #expect(refused.exitCode == 2 && refused.standardError.contains("w.yaml:3:3: error: step 'say'"), "\(refused)")
    #expect(refused.standardError.contains("the program of its plugin has changed"))
    try tool.write("", to: "ok")
    #expect(try tool.run("resume", "--rerun-changed").standardOutput.contains("say: it has changed"))
    #expect(try tool.run("resume", "last", "--only", "last", "--dry-run").standardOutput.contains("kept: say\n"))
  }

  @Test func `the duration of a resumed run counts from the activation in the first process`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      """
      name: warm
      steps:
        a: { uses: flow.noop, prewarm: true }
        b: { run: "test -e ok && echo fixed", needs: a }

      """, to: "w.yaml")
    #expect(try tool.run("w.yaml", "--prewarm", "500ms").exitCode == 1)
    try tool.write("", to: "ok")
    let lines = try tool.run("resume", "--json").standardOutput.split(separator: "\n").map { try object(String($0)) }
    let activated = try #require(lines.first { $0["event"] as? String == "run.activated" })
    let started = try #require(lines.first { $0["event"] as? String == "run.started" })
    let activatedAt = try #require(activated["at"] as? Double)
    #expect(try activatedAt >= 500 && activatedAt < #require(started["at"] as? Double))
    #expect(lines.filter { $0["event"] as? String == "run.activated" }.count == 1)
    let finished = try #require(lines.last { $0["event"] as? String == "run.finished" })
    let shown = try object(try tool.run("runs", "show", "last", "--json").standardOutput)
    let duration = try #require(shown["durationMilliseconds"] as? Double)
    #expect(try abs(#require(finished["at"] as? Double) - activatedAt - duration) < 1_000)
  }

  @Test func `a resume with --only repeats only the named steps`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      """
      name: some
      steps:
        a: { uses: shell.run, with: { command: "test -e ok" } }
        b: { uses: shell.run, with: { command: "test -e ok" } }
        c: { uses: flow.noop, needs: b }

      """, to: "w.yaml")
    #expect(try tool.run("w.yaml").exitCode == 1)
    try tool.write("", to: "ok")
    let unknown = try tool.run("resume", "--only", "aa")
    #expect(unknown.exitCode == 64 && unknown.standardError.contains("did you mean 'a'?"))
    let open = try tool.run("resume", "--only", "c")
    #expect(open.exitCode == 64 && open.standardError.contains("it needs 'b', which has not succeeded; add --only b"))
    #expect(try tool.run("resume", "--only", "a", "--from", "b").exitCode == 64)
    let some = try tool.run("resume", "--only", "a")
    #expect(some.exitCode == 0 && some.standardOutput.contains("left out (--only): b, c"), "\(some)")
    #expect(try tool.run("runs", "--state", "partial").standardOutput.contains("some"))
    let steps = try object(try tool.run("runs", "show", "last", "--json").standardOutput)["steps"] as? [String: Any]
    for name in ["b", "c"] {
      #expect((steps?[name] as? [String: Any])?["reason"] as? String == "not-selected", "\(name)")
    }
    #expect(try tool.run("resume").exitCode == 0)
    #expect(try tool.run("runs", "--state", "success").standardOutput.contains("some"))
  }

  @Test func `an interrupted step with on-interrupt: fail is not listed among those that run again`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      "name: once\ndurable: true\nsteps: { a: { run: echo waits && sleep 60, on-interrupt: fail } }\n", to: "w.yaml")
    let process = try FlowrunProcess(["w.yaml"], in: tool.folder.path)
    #expect(process.waitForOutput("a: waits"))
    process.send(SIGKILL)
    _ = process.result()
    let plan = try tool.run("resume", "--dry-run").standardOutput
    #expect(plan.contains("(on-interrupt: fail; run them with --from): a\n"), "\(plan)")
    #expect(plan.contains("runs again: nothing\n"), "\(plan)")
  }

  @Test func `a run is recorded with its launch reason, even after long prewarming`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      """
      name: warm
      steps:
        a: { uses: flow.sleep, prewarm: true, with: { for: 10ms } }
        b: { uses: flow.noop, needs: a }

      """, to: "w.yaml")
    for arguments in [[], ["--durable"]] {
      #expect(try tool.run(["w.yaml", "--prewarm", "300ms", "--launch", "background"] + arguments).exitCode == 0)
      let shown = try object(try tool.run("runs", "show", "last", "--json").standardOutput)
      #expect(shown["launchReason"] as? String == "background" && shown["state"] as? String == "success")
    }
  }

  @Test func `the write-ahead log of the store stays small, even after many short runs`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write("name: short\nsteps: { a: { uses: flow.noop } }\n", to: "w.yaml")
    var longest = 0
    for _ in 0..<60 {
      #expect(try tool.run("w.yaml").exitCode == 0)
      let log = tool.folder.path + "/.flowrun/runs.sqlite-wal"
      longest = max(longest, try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int ?? 0)
    }
    #expect(longest < 140 * 4120, "\(longest) bytes")
    #expect(try tool.run("runs", "--limit", "100").standardOutput.split(separator: "\n").count == 60)
  }

  @Test(arguments: [
    ("preferences.country-list", "footprint.country-list"), ("storage.statistics", "footprint.statistics"),
    ("sync.pull", "pomodoro.pull"),
  ])
  func `a run with a renamed action is not resumed, and the error has the new name`(old: String, new: String)
    throws
  {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    let text = "name: moved\nsteps:\n  bad: { run: exit 3 }\n  next: { uses: flow.noop, needs: bad }\n"
    try tool.write(text, to: "w.yaml")
    #expect(try tool.run("w.yaml").exitCode == 1)
    try tool.write(text.replacingOccurrences(of: "flow.noop", with: old), to: "w.yaml")
    let refused = try tool.run("resume", "last")
    #expect(refused.exitCode == 2 && refused.standardError.contains("'\(old)', which is now '\(new)'"), "\(refused)")
  }
}
