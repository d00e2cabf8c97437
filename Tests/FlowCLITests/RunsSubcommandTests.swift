import FlowModel
import Foundation
import TestSupport
import Testing

/// Recording, listing and resuming runs.
struct `Recorded runs` {
  private static let workflow = """
    name: trial
    steps:
      a: { uses: shell.run, with: { command: "echo hello from a; echo a $FLOWRUN_ATTEMPT >> log" } }
      b: { uses: shell.run, needs: a, with: { command: "test -e ok && echo b $FLOWRUN_ATTEMPT >> log" } }
      c: { uses: flow.noop, needs: b }

    """

  @Test(arguments: [["runs", "prune", "--keep", "0"], ["runs", "delete", "last"]])
  func `runs prune and runs delete reject an empty --in and delete nothing`(arguments: [String]) throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write("name: w\nsteps: { a: { uses: flow.noop } }\n", to: "w.yaml")
    #expect(try tool.run("w.yaml").exitCode == 0)
    let refused = try tool.run(arguments + ["--in", ""])
    #expect(refused.exitCode == 64 && refused.standardError.contains("--in is empty"), "\(refused)")
    #expect(try tool.run("runs", "show", "last").exitCode == 0)
  }

  @Test func `recorded runs are listed, shown, resumed, exported and deleted`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(Self.workflow, to: "w.yaml")
    #expect(try tool.run("w.yaml").exitCode == 1)
    let list = try tool.run("runs")
    #expect(list.exitCode == 0 && list.standardOutput.contains("trial") && list.standardOutput.contains("failure"))
    #expect(!list.standardOutput.contains("gate"), "the workflow has none")
    let id = String(list.standardOutput.prefix(8))
    let page = try tool.run("runs", "show", id).standardOutput
    #expect(page.contains("b  failure") && page.contains("c  skipped    upstream-failed"))
    #expect(try tool.run("logs", id).standardOutput == "a: hello from a\n")
    let failed = try tool.run("logs", id, "--step", "b").standardOutput
    #expect(failed.hasPrefix("✗ b failed in ") && failed.contains(": exited with status 1: '"))
    let unknown = try tool.run("logs", id, "--step", "aa")
    #expect(unknown.exitCode == 64 && unknown.standardError.contains("did you mean 'a'?"), "\(unknown)")

    let dry = try tool.run("resume", id, "--dry-run")
    #expect(dry.standardOutput.contains("kept: a\n") && dry.standardOutput.contains("c: skipped"))
    try tool.write("", to: "ok")
    let resumed = try tool.run("resume")
    #expect(resumed.exitCode == 0, "\(resumed)")
    #expect(try String(contentsOf: tool.folder.appendingPathComponent("log"), encoding: .utf8) == "a 1\nb 2\n")
    #expect(try tool.run("resume", "last").standardOutput == "run \(id) succeeded: nothing is left to do\n")

    let export = try tool.run("runs", "export", id).standardOutput
    let object = try #require(try JSONSerialization.jsonObject(with: Data(export.utf8)) as? [String: Any])
    #expect(object["state"] as? String == "success" && (object["definition"] as? String) == Self.workflow)
    #expect(try tool.run("runs", "delete", id).standardOutput == "run \(id) was deleted\n")
    #expect(try tool.run("runs").standardOutput == "no run matches\n")
    try tool.write("deadline: 5s\n" + Self.workflow, to: "gated.yaml")
    _ = try tool.run("gated.yaml")
    #expect(try tool.run("runs").standardOutput.contains("  gate ready at "))
  }

  @Test func `flowrun runs shows how a run was launched, except for a cold launch by the user`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write("name: n\nsteps: { a: { uses: flow.noop, prewarm: true } }\n", to: "w.yaml")
    for arguments in [[], ["--launch", "background"], ["--prewarm", "1ms"]] { _ = try tool.run(["w.yaml"] + arguments) }
    let lines = try tool.run("runs").standardOutput.split(separator: "\n").map(String.init)
    #expect(lines[0].hasSuffix("  launched by user (prewarmed)"), "\(lines)")
    #expect(lines[1].hasSuffix("  launched by background (cold)") && !lines[2].contains("launched"), "\(lines)")
  }

  /// Steps that ran although a dependency had failed must not be shown as skipped later.
  @Test func `a recorded run has the same steps and items as its report`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      """
      name: all
      events: { x: {} }
      steps:
        bad: { run: exit 1 }
        failed: { run: echo hi, needs: bad, if: failure() }
        not: { run: echo hi, needs: bad, if: "${{ !success() }}" }
        always: { run: exit 3, needs: bad, if: always(), optional: true }
        fan: { run: 'exit $C', env: { C: "${{ item }}" }, foreach: { items: [0, 1, 0], parallel: 1 } }
        out: { uses: flow.noop, enabled: false }
        waits: { uses: flow.noop, after: x }
        behind: { uses: flow.noop, needs: waits, if: always() }
        deferred: { uses: flow.noop, defer: true }
        part: { uses: ./part.yaml, needs: bad, if: failure() }
      finally:
        last: { run: echo fin }

      """, to: "all.yaml")
    try tool.write("name: part\nsteps: { a: { uses: flow.noop } }\n", to: "part.yaml")
    #expect(try tool.run("all.yaml", "--report", "report.json").exitCode == 1)
    let report = try String(contentsOf: tool.folder.appendingPathComponent("report.json"), encoding: .utf8)
    var reported = try #require(try JSONText.parse(report).objectValue)
    for key in ["file", "startedAt"] { reported[key] = nil }
    let fan = try #require(reported["steps"]?.objectValue?["fan"]?.objectValue)
    let items = (fan["items"]?.arrayValue ?? []).compactMap(\.objectValue)
    let names = items.compactMap { item in item["name"]?.stringValue }
    #expect(names == ["0", "1", "0"])
    var shown = try #require(try JSONText.parse(tool.run("runs", "show", "last", "--json").standardOutput).objectValue)
    for key in ["epochs", "file", "startedAt", "state"] { shown[key] = nil }
    var steps = try #require(shown["steps"]?.objectValue)
    for (id, step) in steps {
      var step = try #require(step.objectValue)
      step["kept"] = nil
      steps[id] = .object(step)
    }
    shown["steps"] = .object(steps)
    #expect(shown == reported)
    #expect(reported["steps"]?.objectValue?["part/a"]?.objectValue?["outcome"] == "success")
  }

  @Test func `runs are selected by id, file, state or age, with suggestions for unknown values`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write("name: n\nsteps: { a: { uses: flow.noop } }\n", to: "w.yaml")
    let none = try tool.run("runs")
    #expect(none.exitCode == 64 && none.standardError.contains("no run is recorded in"))
    for _ in 0..<2 { _ = try tool.run("w.yaml") }
    let id = String(try tool.run("runs").standardOutput.prefix(8))
    let wrong = id.dropLast() + (id.last == "0" ? "1" : "0")
    let file = try tool.run("runs", "v.yaml")
    #expect(
      file.exitCode == 64
        && file.standardError.contains("no file 'v.yaml', and no run of one; did you mean 'w.yaml'?"), "\(file)")
    let place = try tool.run("runs", "--in", "/nowhere")
    #expect(place.exitCode == 64 && place.standardError.contains("there is no file or folder '/nowhere'"), "\(place)")
    let unknown = try tool.run("runs", "show", String(wrong))
    #expect(unknown.exitCode == 64 && unknown.standardError.contains("did you mean '\(id)'?"))
    let several = try tool.run("resume", "0")
    #expect(several.exitCode == 64 && several.standardError.contains(id) || several.standardError.contains("no run"))
    let state = try tool.run("runs", "--state", "failur")
    #expect(state.exitCode == 64 && state.standardError.contains("did you mean 'failure'?"))
    #expect(try tool.run("runs", "--last", "7x").exitCode == 64)
    #expect(try tool.run("runs", "--last", "7d").exitCode == 0)
    #expect(try tool.run("resume", "last", "-i", "a=1").exitCode == 64)
    #expect(try tool.run("resume", "last", "--keep-changed", "--rerun-changed").exitCode == 64)
  }

  @Test func `a run is not recorded if the history is disabled or nothing runs`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write("name: n\nsteps: { a: { uses: flow.noop } }\n", to: "w.yaml")
    try tool.write("name: n\nhistory: false\nsteps: { a: { uses: flow.noop } }\n", to: "silent.yaml")
    for arguments in [["w.yaml", "--no-history"], ["silent.yaml"], ["validate", "w.yaml"], ["graph", "w.yaml"]] {
      #expect(try tool.run(arguments).exitCode == 0)
      #expect(!FileManager.default.fileExists(atPath: tool.folder.path + "/.flowrun/runs.sqlite"), "\(arguments)")
    }
    #expect(try tool.run("w.yaml", "--durable", "--no-history").exitCode == 64)
    try tool.write("name: n\nhistory: false\ndurable: true\nsteps: { a: { uses: flow.noop } }\n", to: "both.yaml")
    let both = try tool.run("validate", "both.yaml")
    #expect(
      both.exitCode == 2 && both.standardError.contains("conflicting-keys")
        || both.standardOutput.contains("conflicting-keys"))
  }

  @Test func `a store that cannot be written causes one warning, and durable runs do not start`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write("name: n\nsteps: { a: { uses: flow.noop } }\n", to: "w.yaml")
    let data = tool.folder.path + "/data"
    try tool.write("in the way", to: ".flowrun")
    let run = try tool.run("w.yaml", "--data", data)
    #expect(run.exitCode == 0)
    #expect(run.standardOutput.components(separatedBy: "warning: history: the run store").count == 2, "\(run)")
    let durable = try tool.run("w.yaml", "--data", data, "--durable", "--verbose")
    #expect(durable.exitCode == 2 && durable.standardError.contains("durable: the run store"))
    #expect(!durable.standardOutput.contains("a started"))
  }

  @Test func `a damaged store is moved aside and reported, and new runs are recorded`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write("name: n\nsteps: { a: { uses: flow.noop } }\n", to: "w.yaml")
    _ = try tool.run("w.yaml")
    let store = tool.folder.path + "/.flowrun/runs.sqlite"
    for suffix in ["", "-wal"] { try Data(repeating: 7, count: 9000).write(to: URL(fileURLWithPath: store + suffix)) }
    #expect(try tool.run("runs").exitCode == 2)
    let run = try tool.run("w.yaml")
    #expect(run.exitCode == 0 && run.standardError.contains(") and was moved to"), "\(run)")
    #expect(try tool.run("runs").standardOutput.split(separator: "\n").count == 1)
  }

  @Test func `a store of a newer flowrun is never changed, and new runs are not recorded in it`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write("name: n\nsteps: { a: { uses: flow.noop } }\n", to: "w.yaml")
    _ = try tool.run("w.yaml")
    try Self.sqlite("PRAGMA user_version = 3", tool)
    let sentence = "has format 3, which this flowrun does not know; use a newer flowrun"
    for subcommand in [
      ["runs"], ["runs", "show", "last"], ["runs", "prune"], ["runs", "delete", "last"], ["resume"], ["logs", "last"],
      ["cancel", "last"], ["w.yaml", "--durable"],
    ] {
      let refused = try tool.run(subcommand)
      #expect(refused.exitCode == 2 && refused.standardError.contains(sentence), "\(subcommand) \(refused)")
    }
    let run = try tool.run("w.yaml")
    #expect(run.exitCode == 0 && run.standardOutput.contains("warning: history: the run store"), "\(run)")
    try Self.sqlite("PRAGMA user_version = 2", tool)
    #expect(try tool.run("runs").standardOutput.split(separator: "\n").count == 1, "and nothing was written")
  }

  @Test func `a damaged run does not hide other runs, and each subcommand reports how to delete it`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(Self.workflow, to: "w.yaml")
    for _ in 0..<3 { _ = try tool.run("w.yaml") }
    let ids = try tool.run("runs").standardOutput.split(separator: "\n").map { String($0.prefix(8)) }
    try Self.sqlite("UPDATE run SET workflow = 'other' WHERE id LIKE '%\(ids[1])'", tool)
    let list = try tool.run("runs")
    let listed = list.standardOutput.split(separator: "\n").map { String($0.prefix(8)) }
    #expect(list.exitCode == 0 && listed == [ids[0], ids[2]])
    #expect(list.standardError.contains("damaged: \(ids[1]); flowrun runs prune deletes it"), "\(list)")
    for subcommand in [["runs", "show"], ["runs", "export"], ["logs"], ["resume"], ["cancel"], ["analyze"]] {
      let said = try tool.run(subcommand + [ids[1]])
      #expect(
        said.exitCode == 2 && said.standardError.contains("flowrun runs delete \(ids[1]) deletes it"),
        "\(subcommand) \(said)"
      )
      #expect(try tool.run(subcommand + ["nobody"]).exitCode == 64)
    }
    #expect(try tool.run("runs", "show", ids[0]).exitCode == 0)
    #expect(try tool.run("w.yaml").exitCode == 1, "and the next run is recorded next to it")
    let pruned = try tool.run("runs", "prune")
    #expect(pruned.standardOutput == "0 runs were deleted\n1 damaged run was deleted, too\n", "\(pruned)")
    #expect(try tool.run("runs").standardOutput.split(separator: "\n").count == 3)
  }

  @Test func `runs are listed even if a part of the store cannot be read, and the loss is reported`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(Self.workflow, to: "w.yaml")
    for _ in 0..<12 { _ = try tool.run("w.yaml") }
    let store = tool.folder.path + "/.flowrun/runs.sqlite"
    // The page that contains the second run must be in the file rather than in the log.
    try ForeignWriter.execute("PRAGMA wal_checkpoint(TRUNCATE)", on: store)
    let id = try #require(try ForeignWriter.text("SELECT id FROM run WHERE number = 2", in: store))
    var bytes = try Data(contentsOf: URL(filePath: store))
    let found = try #require(bytes.firstRange(of: Data((id + "trial").utf8))).lowerBound
    bytes.replaceSubrange((found / 4096 * 4096)..<(found / 4096 * 4096 + 8), with: [UInt8](repeating: 0xEE, count: 8))
    try bytes.write(to: URL(filePath: store))
    for end in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: store + end) }
    let list = try tool.run("runs")
    #expect(list.exitCode == 0 && !list.standardOutput.isEmpty, "\(list)")
    #expect(list.standardError.contains("a part of the store with at most"), "\(list)")
    #expect(!list.standardError.contains("umber 2,") && !list.standardError.contains("prune deletes"), "\(list)")
  }

  @Test(.enabled(if: getuid() == 0)) func `a store without read permission is not reported as missing`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write("name: n\nsteps: { a: { uses: flow.noop } }\n", to: "w.yaml")
    _ = try tool.run("w.yaml")
    let (status, output) = try Shell.run(
      """
      cd / && chmod 755 '\(tool.folder.path)' && setpriv --regid 65534 --reuid 65534 --clear-groups \
        '\(FlowrunProcess.path)' runs --in '\(tool.folder.path)' 2>&1
      """)
    #expect(
      status != 0 && output.contains("Permission denied") && !output.contains("no run is recorded"), "\(output)")
  }

  /// Changes the store by means other than flowrun.
  private static func sqlite(_ text: String, _ tool: CommandLineTool) throws {
    try ForeignWriter.execute(text, on: tool.folder.path + "/.flowrun/runs.sqlite")
  }

  @Test func `a process locks its run: a second process is refused, and requests reach the first`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      """
      name: held
      events: [go]
      steps:
        wait: { uses: flow.noop, after: go }
        long: { uses: shell.run, with: { command: "sleep 60" } }

      """, to: "w.yaml")
    let first = try FlowrunProcess(["w.yaml", "--verbose", "--event", "go@50s"], in: tool.folder.path)
    defer { first.send(SIGKILL) }
    #expect(first.waitForOutput("long started"))
    #expect(try within(seconds: 30) { try tool.run("runs").standardOutput.contains("running") })
    let second = try tool.run("resume", "last")
    #expect(second.exitCode == 1 && second.standardError.contains("is already running (process"), "\(second)")
    #expect(try tool.run("post", "last", "nothing").exitCode == 64)
    // A suspended process does not answer. It must not carry out the request later either.
    first.send(SIGSTOP)
    let unanswered = try tool.run("cancel", "last")
    #expect(unanswered.exitCode == 1 && unanswered.standardError.contains("does not answer"), "\(unanswered)")
    #expect(unanswered.standardError.hasPrefix("flowrun: run "), "\(unanswered)")
    first.send(SIGCONT)
    #expect(try tool.run("post", "last", "go").exitCode == 0)
    #expect(first.waitForOutput("wait succeeded"))
    let cancelled = try tool.run("cancel", "last")
    #expect(cancelled.exitCode == 0, "\(cancelled)")
    #expect(first.result().exitCode == 1)
    let late = try tool.run("cancel", "last")
    #expect(late.exitCode == 1 && late.standardError.hasPrefix("flowrun: run "), "\(late)")
    #expect(late.standardError.hasSuffix("is not running: it has ended\n"), "\(late)")
  }

  /// A durable run of real commands is killed at random times, even while it is being resumed.
  @Test(.timeLimit(.minutes(60))) func `a killed run can be resumed, and recorded steps never run again`() throws {
    let wanted = TestExtent.count(usual: 10, release: 25, long: 500)
    var kills = 0
    var seed: UInt64 = 1
    while kills < wanted {
      seed += 1
      kills += try killThroughout(seed: seed, steps: TestExtent.count(usual: 24, release: 24, long: 200))
    }
  }

  /// Kills a run repeatedly until it has ended. Returns the number of kills.
  private func killThroughout(seed: UInt64, steps: Int) throws -> Int {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    var text = "name: killed\ndurable: true\nsteps:\n"
    for step in 0..<steps {
      let needs = step >= 3 ? "needs: s\(step - 3), " : ""
      text += """
          s\(step): { uses: shell.run, \(needs)with: { command: "echo start $FLOWRUN_STEP $FLOWRUN_ATTEMPT >> log; \
        sleep 0.0\(step % 4); echo end $FLOWRUN_STEP $FLOWRUN_ATTEMPT >> log" } }

        """
    }
    try tool.write(text, to: "w.yaml")
    var (starts, kills) = (0, 0)
    var arguments = ["w.yaml"]
    // For each step, the length of the log when the step was first seen as recorded.
    var known: [String: Int] = [:]
    var mixed = seed &* 0x9E37_79B9_7F4A_7C15
    while true {
      mixed = mixed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let process = try FlowrunProcess(arguments, in: tool.folder.path)
      // The delay increases with each kill, so that the run ends even on slow machines.
      usleep(useconds_t(60_000 + Int(mixed >> 33) % (400_000 + 40_000 * starts)))
      starts += 1
      process.send(SIGKILL)
      let result = process.result()
      let wasKilled = result.exitCode == 128 + SIGKILL
      guard FileManager.default.fileExists(atPath: tool.folder.path + "/.flowrun/runs.sqlite") else { continue }
      let shown = try tool.run("runs", "show", "last", "--json")
      guard let recorded = try recordedSteps(shown) else { continue }
      let log = (try? String(contentsOf: tool.folder.appendingPathComponent("log"), encoding: .utf8)) ?? ""
      check(log.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }, recorded, &known)
      if result.errors.contains("never activated") {
        // The run was killed before it was stored on disk, so no step had started.
        arguments = ["w.yaml"]
        continue
      }
      if !wasKilled {
        #expect(result.exitCode == 0, "\(result)")
        #expect(recorded.count == steps)
        return kills
      }
      kills += 1
      arguments = ["resume", "last"]
    }
  }

  /// Returns the steps that have succeeded according to the store, or nil if the store does not contain the run.
  private func recordedSteps(_ shown: CommandLineTool.Output) throws -> Set<String>? {
    guard shown.exitCode == 0 else { return nil }
    let object = try JSONSerialization.jsonObject(with: Data(shown.standardOutput.utf8)) as? [String: Any]
    let steps = try #require(object?["steps"] as? [String: [String: Any]])
    return Set(steps.filter { $0.value["outcome"] as? String == "success" }.keys)
  }

  /// Checks that no recorded step has started again, that all recorded steps have ended, and that no attempt has
  /// written anything after a later one had started.
  private func check(_ log: [[String]], _ recorded: Set<String>, _ known: inout [String: Int]) {
    var latest: [String: Int] = [:]
    for (line, words) in log.enumerated() where words.count == 3 {
      let (what, step, attempt) = (words[0], words[1], Int(words[2]) ?? 0)
      if what == "start", let since = known[step], line >= since { Issue.record("\(step) was recorded and ran again") }
      if attempt < latest[step] ?? 0 { Issue.record("try \(attempt) of \(step) went on next to a later one") }
      latest[step] = max(latest[step] ?? 0, attempt)
    }
    for step in recorded {
      if !log.contains(where: { $0.count == 3 && $0[0] == "end" && $0[1] == step }) {
        Issue.record("\(step) is recorded and never ended")
      }
      if known[step] == nil { known[step] = log.count }
    }
    #expect(Set(known.keys).isSubset(of: recorded))
  }
}
