import FlowModel
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Insight subcommands` {
  private static let workflow = """
    name: app
    deadline: { min: 50ms, max: 3s }
    events: [door]
    budgets: ['p95(gate) <= 2s']
    steps:
      store: { uses: flow.sleep, with: { for: 20ms }, estimate: 10ms..30ms, blocking: false }
      open: { uses: flow.post, needs: store, with: { event: door }, blocking: false }
      show: { uses: flow.sleep, with: { for: 30ms }, after: door, estimate: 30ms }
      ask: { uses: flow.set, with: { values: { granted: true } }, blocking: false }
      locate: { uses: flow.sleep, needs: ask, if: steps.ask.outputs.granted, with: { for: 1ms }, estimate: 200ms }
    """

  private func tool() throws -> CommandLineTool {
    let tool = try CommandLineTool()
    try tool.write(Self.workflow, to: "app.yaml")
    return tool
  }

  /// Sets the times of steps in a report, in milliseconds. Real times would depend on the machine.
  private func setTimes(
    _ steps: [String: ClosedRange<Int>], opened: Int, in name: String, of tool: CommandLineTool
  ) throws {
    var report = try #require(try JSONText.parse(try tool.text(of: name)).objectValue)
    func change(_ value: Value?, _ members: ValueObject) -> Value {
      var object = value?.objectValue ?? [:]
      for (key, member) in members { object[key] = member }
      return .object(object)
    }
    let opening = Value.integer(opened)
    report["gate"] = change(report["gate"], ["openedAt": opening, "readyAt": opening])
    report["entries"] = .array((report["entries"]?.arrayValue ?? []).map { change($0, ["openedAt": opening]) })
    report["durationMilliseconds"] = opening
    report["criticalPath"] = []
    var changed = try #require(report["steps"]?.objectValue)
    for (step, times) in steps {
      let (start, end) = (Value.integer(times.lowerBound), Value.integer(times.upperBound))
      changed[step] = change(
        changed[step], ["readyAt": start, "startedAt": start, "endedAt": end, "waitedMilliseconds": 0])
    }
    report["steps"] = .object(changed)
    let events = (report["events"]?.arrayValue ?? []).map { event in
      let at = event["postedBy"]?.stringValue.flatMap { steps[$0] }?.upperBound ?? 0
      return change(event, ["at": .integer(at)])
    }
    report["events"] = .array(events)
    try tool.write(JSONText.write(.object(report)), to: name)
  }

  @Test func `simulate is reproducible on any number of cores, and depends on the seed`() throws {
    let tool = try tool()
    defer { tool.remove() }
    // The runs of a forecast are divided into blocks of 1,000, which the cores share.
    func simulate(_ runs: Int) -> [String] { ["simulate", "app.yaml", "--runs", "\(runs)", "--format", "json"] }
    let arguments = simulate(TestExtent.count(usual: 1_001, release: 5_000, long: 5_000))
    let whole = try tool.run(arguments)
    #expect(whole.exitCode == 0 && whole.standardError == "")
    let words = arguments.map { "'\($0)'" }.joined(separator: " ")
    let single = try Shell.run("taskset -c 0 '\(FlowrunProcess.path)' \(words)", in: tool.folder.path).output
    #expect(single == whole.standardOutput)
    let seeds = try ["1", "2"].map { try tool.run(simulate(50) + ["--seed", $0]) }
    #expect(seeds[0].exitCode == 0 && seeds[0].standardOutput != seeds[1].standardOutput)
  }

  @Test(arguments: [
    (["--slow", "*=100"], 3, "broken"), (["--budget", "p50(ready) <= 10ms"], 3, "broken"),
    (["--assume", "steps.ask.outputs.granted=true"], 0, "as assumed"), (["--threads", "1"], 0, "kept"),
    (["--fail", "show=1"], 0, "failed 100 %"), (["--no-minimum"], 0, "kept"), (["--defer", "show"], 0, "kept"),
    (["--slow", "stroe=2"], 64, "did you mean 'store'?"), (["--fail", "show=2"], 64, "is not a number from 0 to 1"),
    (["--fail", "show=nan"], 64, "is not a number from 0 to 1"), (["--budget", "p95(gate) <= soon"], 64, "'soon'"),
    (["--budget", "p95(step:shoe) <= 1s"], 64, "did you mean 'show'?"),
    (["--budget", "p95(gate) <= baseline"], 64, "only 'flowrun compare' has a baseline"),
    (["--runs", "0"], 64, "from 1 to 1000000"), (["--runs", "1000001"], 64, "from 1 to 1000000"),
    (["--correlation", "nan"], 64, "from 0 to 1"), (["--assume", "granted=true"], 64, "write --assume steps.ID"),
    (["--from", "app.yaml"], 2, "is not a JSON value"), (["--from", "nowhere"], 2, "no such file or folder"),
  ])
  func `simulate checks and applies its options`(arguments: [String], code: Int32, text: String) throws {
    let tool = try tool()
    defer { tool.remove() }
    let runs = arguments.contains("--runs") ? [] : ["--runs", "50"]
    let output = try tool.run(["simulate", "app.yaml"] + runs + arguments)
    #expect(output.exitCode == code, "\(output)")
    #expect((output.standardOutput + output.standardError).contains(text), "\(output)")
  }

  @Test func `analyze assigns a cause to all the time before the gate is ready, from a report or the history`() throws {
    let tool = try tool()
    defer { tool.remove() }
    // Only 'show' blocks the gate, so the critical path does not depend on the machine's speed.
    let workflow = Self.workflow.replacing("estimate: 200ms }", with: "estimate: 200ms, blocking: false }")
    try tool.write(workflow.replacing("max: 3s", with: "max: 1m"), to: "app.yaml")
    #expect(try tool.run("app.yaml", "--report", "run.json").exitCode == 0)
    for launch in ["run.json", "last"] {
      let text = try tool.run("analyze", launch, "--format", "json").standardOutput
      let value = try #require(try JSONText.parse(text).objectValue)
      let ready = try #require(value["gate"]?.objectValue?["readyAt"]?.numberValue)
      let causes = try #require(value["causes"]?.objectValue)
      let sum = causes.compactMap(\.value.numberValue).reduce(0, +)
      #expect(abs(sum - ready) < 0.001, "\(launch): \(causes), \(ready)")
      let criticalPath = value["criticalPath"]?.arrayValue?.compactMap { $0.objectValue?["step"]?.stringValue } ?? []
      #expect(criticalPath.contains("store") && criticalPath.contains("show"), "\(launch): \(criticalPath)")
      #expect(value["slack"]?.objectValue?["store"]?.numberValue == 0)
    }
  }

  @Test func `analyze lists attempts, retry delays and commits on the critical path, and no gate without a deadline`()
    throws
  {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    let once = "test -e {0} || { touch {0}; exit 1; }"
    try tool.write(
      """
      name: again
      steps:
        flaky: { run: "\(once.replacingOccurrences(of: "{0}", with: "f"))", retry: { attempts: 2, delay: 20ms } }
        fan:
          foreach: [1, 2]
          run: "\(once.replacingOccurrences(of: "{0}", with: "i${{ item }}"))"
          retry: { attempts: 2, delay: 20ms }
          needs: flaky
      """, to: "again.yaml")
    #expect(try tool.run("again.yaml", "--durable", "--report", "run.json").exitCode == 0)
    for launch in ["run.json", "last"] {
      let text = try tool.run("analyze", launch, "--format", "json").standardOutput
      let links = try #require(try JSONText.parse(text).objectValue?["criticalPath"]?.arrayValue)
      func count(_ step: String, _ cause: String) -> Int {
        links.count { $0.objectValue?["step"] == .string(step) && $0.objectValue?["cause"] == .string(cause) }
      }
      #expect(count("flaky", "run") == 2 && count("flaky", "retry") == 1, "\(launch): \(text)")
      #expect(count("fan", "run") >= 2 && count("fan", "retry") >= 1, "\(launch): \(text)")
      #expect(count("flaky", "commit") == 1, "\(launch): \(text)")
    }
    let told = try tool.run("analyze", "run.json").standardOutput
    #expect(told.contains("\neverything had finished at") && !told.contains("the gate"), "\(told)")
  }

  @Test func `analyze and compare group runs by launch reason and check budgets in groups of at least five`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      """
      name: app
      deadline: { min: "${{ launch.reason == 'user' && '300ms' || '0s' }}", max: 5s }
      steps: { s: { uses: flow.noop } }
      """, to: "app.yaml")
    try tool.write("", to: "all/.keep")
    let rule = ["--budget", "p50(gate) <= 100ms"]
    for (reason, count) in [("user", 2), ("background", 6)] {
      for index in 0..<count {
        for file in ["\(reason)-\(index).json", "all/\(reason)-\(index).json"] {
          _ = try tool.run("app.yaml", "--launch", reason, "--report", file)
          try setTimes(["s": 0...(1 + index)], opened: reason == "user" ? 300 : 1 + index, in: file, of: tool)
        }
      }
    }
    let all = try tool.run(["analyze", "all"] + rule)
    #expect(all.exitCode == 0 && all.standardOutput.contains("6 runs, launched by background (cold)"), "\(all)")
    #expect(all.standardOutput.contains("2 runs, launched by user (cold)"))
    #expect(all.standardOutput.contains("the budgets are not judged: this group of launches has fewer than 5 runs"))
    let user = try tool.run(["analyze", "all", "--launch", "user"] + rule)
    #expect(user.exitCode == 3 && user.standardOutput.contains("broken"), "\(user)")
    #expect(try tool.run(["analyze", "all", "--launch", "all"] + rule).exitCode == 0)
    let few = try tool.run(["analyze", "user-0.json", "background-0.json"] + rule)
    #expect(few.exitCode == 0 && few.standardError.contains("the budgets were not judged"), "\(few)")
    let other = try tool.run("compare", "user-0.json", "background-0.json")
    #expect(other.exitCode == 64 && other.standardError.contains("launched differently"), "\(other)")
    #expect(try tool.run("compare", "all", "all").standardOutput.contains("launched by user (cold)"))
    #expect(try tool.run("analyze", "all", "--launch", "location").exitCode == 64)
    #expect(try tool.run("analyze", "all", "--launch", "user (cold)").standardOutput.contains("app: 2 runs\n"))
    let unknown = try tool.run("analyze", "all", "--launch", "user (hot)")
    #expect(unknown.exitCode == 64 && unknown.standardError.contains("such as 'background (cold)'"), "\(unknown)")
    #expect(try tool.run("analyze", "all", "--format", "html").exitCode == 64)

    // A group that exists on only one side is listed. Its budgets are checked if they need no baseline.
    let less = try tool.run("compare", "all", "user-0.json")
    #expect(less.standardOutput.contains("launched by user (cold)"), "\(less)")
    #expect(
      less.standardOutput.contains("not compared\n  only before: 6 runs, launched by background (cold)\n"), "\(less)")
    let more = try tool.run(["compare", "user-0.json", "all", "--budget", "p50(gate) <= baseline*2"] + rule)
    #expect(more.exitCode == 0, "\(more)")
    #expect(
      more.standardOutput.hasSuffix(
        """
        not compared
          only now: 6 runs, launched by background (cold)
            p50(gate) <= 100ms  kept: 3.0 ms
            1 budget not judged

        """), "\(more)")
    let broken = try tool.run("compare", "user-0.json", "all", "--budget", "p50(gate) <= 2ms")
    #expect(broken.exitCode == 3 && broken.standardOutput.contains("broken: 3.0 ms"), "\(broken)")
    let json = try tool.run("compare", "user-0.json", "all", "--format", "json").standardOutput
    let value = try #require(try JSONText.parse(json).objectValue)
    #expect(
      value["onlyAfter"] == [["launch": "background (cold)", "runs": 6, "budgets": []]] && value["onlyBefore"] == [])
    let page = try tool.run("compare", "user-0.json", "all", "--format", "html")
    #expect(page.standardOutput.contains("only now: 6 runs, launched by background (cold)"), "\(page)")
  }

  @Test func `insight subcommands use the singular for a single run, step or group`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write("name: one\nsteps: { s: { uses: flow.noop } }\n", to: "one.yaml")
    for (reason, name) in [("user", "a"), ("url", "b")] {
      _ = try tool.run("one.yaml", "--launch", reason, "--report", "\(name).json")
      try setTimes(["s": 0...1], opened: 1, in: "\(name).json", of: tool)
    }
    let texts = [
      try tool.run("analyze", "a.json", "b.json"), try tool.run("compare", "a.json", "a.json"),
      try tool.run("simulate", "one.yaml", "--runs", "1"), try tool.run("simulate", "one.yaml", "--from", "a.json"),
      try tool.run("analyze", "a.json", "b.json", "--budget", "p50(ready) <= 1s"),
      try tool.run("simulate", "one.yaml", "--from", "a.json", "--launch", "background"),
    ].map { $0.standardOutput + $0.standardError }
    #expect(texts[0].contains("warning: 1 run is too few for a reliable P95"), "\(texts)")
    #expect(texts[1].contains("\nno step changed\n"), "\(texts)")
    #expect(
      texts[2].contains("one: 1 run, seed") && texts[2].contains("1 of 1 step has no estimate and is"), "\(texts)")
    #expect(texts[3].contains("drawn from 1 run, too few"), "\(texts)")
    #expect(texts[4].contains("no group of launches has 5 runs"), "\(texts)")
    #expect(texts[5].contains("none of 1 run can be used: each was cancelled"), "\(texts)")
    for text in texts { #expect(text.firstMatch(of: /\b1 (more )?(runs|steps|groups)\b/) == nil, "\(text)") }
  }

  @Test func `compare detects a change, checks a budget against the baseline and reports too few runs`() throws {
    let tool = try tool()
    defer { tool.remove() }
    let slower = Self.workflow.replacingOccurrences(of: "{ for: 30ms }", with: "{ for: 400ms }")
    try tool.write(slower, to: "slow/app.yaml")
    for number in 1...5 {
      try FileManager.default.createDirectory(
        at: tool.folder.appendingPathComponent("after"), withIntermediateDirectories: true)
      try FileManager.default.createDirectory(
        at: tool.folder.appendingPathComponent("before"), withIntermediateDirectories: true)
      #expect(try tool.run("app.yaml", "--no-history", "--report", "before/\(number).json").exitCode == 0)
      #expect(try tool.run("slow/app.yaml", "--no-history", "--report", "after/\(number).json").exitCode == 0)
      for (folder, length) in [("before", 30), ("after", 400)] {
        let shown = 21 + length + number
        let times = ["store": 0...20, "open": 20...21, "show": 21...shown, "ask": 0...1, "locate": 1...2]
        try setTimes(times, opened: max(shown, 50), in: "\(folder)/\(number).json", of: tool)
      }
    }
    let changed = try tool.run("compare", "before", "after", "--budget", "median(ready) <= baseline*1.5")
    #expect(changed.exitCode == 3 && changed.standardOutput.contains("slower"), "\(changed)")
    let same = try tool.run("compare", "before", "before", "--budget", "median(ready) <= baseline")
    #expect(same.exitCode == 0 && same.standardOutput.contains("within the noise"), "\(same)")
    let page = try tool.run("compare", "before", "after", "--format", "html").standardOutput
    #expect(page.hasPrefix("<!doctype html>") && page.contains("5 runs before, 5 now") && page.contains("slower"))
    let few = try tool.run("compare", "before/1.json", "after")
    #expect(few.exitCode == 0 && few.standardOutput.contains("too few runs to tell"), "\(few)")
    try tool.write(Self.workflow.replacingOccurrences(of: "name: app", with: "name: other"), to: "other.yaml")
    #expect(try tool.run("other.yaml", "--report", "other.json").exitCode == 0)
    let other = try tool.run("compare", "before", "other.json")
    #expect(other.exitCode == 64 && other.standardError.contains("two workflows, 'app' and 'other'"), "\(other)")
    let learned = try tool.run("simulate", "app.yaml", "--from", "before", "--runs", "100")
    #expect(learned.standardOutput.contains("it is drawn from 5 runs, too few"), "\(learned)")
    #expect(try tool.run("simulate", "app.yaml", "--from", "other.json").exitCode == 64)
  }

  @Test func `compare accepts forecasts, and analyze rejects them`() throws {
    let tool = try tool()
    defer { tool.remove() }
    for (slow, file) in [("1", "before.json"), ("1.3", "after.json")] {
      let arguments = [
        "simulate", "app.yaml", "--runs", "300", "--slow", "show=\(slow)", "--format", "json", "-o", file,
      ]
      #expect(try tool.run(arguments).exitCode == 0)
    }
    let changed = try tool.run("compare", "before.json", "after.json", "--budget", "p95(ready) <= baseline*1.05")
    #expect(changed.exitCode == 3 && changed.standardOutput.contains("+9.0 ms"), "\(changed)")
    let page = try tool.run("compare", "before.json", "after.json", "--format", "html", "-o", "page.html")
    #expect(page.exitCode == 0 && page.standardOutput == "", "\(page)")
    #expect(
      try String(contentsOf: tool.folder.appendingPathComponent("page.html"), encoding: .utf8).contains(
        "<td class=\"n\" data-v=\"9000000.0"))
    let report = try tool.run("analyze", "before.json")
    #expect(report.exitCode == 2 && report.standardError.contains("it is a forecast"), "\(report)")
  }

  @Test(arguments: [
    (#"{}"#, "it is not a report of a run"), (#"{"workflow":"w","steps":{},"schema":3}"#, "schema 3"),
    (#"{"workflow":"w","steps":{"a":{"startedAt":1e400}}}"#, "too large"), ("[", "line 1"),
    (
      #"{"workflow":"w","steps":{"a":{"startedAt":"soon"}}}"#,
      "'steps.a.startedAt' in a report is a number, found \"soon\""
    ),
  ])
  func `analyze rejects a file that is not a report`(text: String, problem: String) throws {
    let tool = try tool()
    defer { tool.remove() }
    try tool.write(text, to: "bad.json")
    let output = try tool.run("analyze", "bad.json")
    #expect(output.exitCode == 2 && output.standardError.contains(problem), "\(output)")
  }

  @Test func `analyze reads reports of older versions of flowrun`() throws {
    let tool = try tool()
    defer { tool.remove() }
    try tool.write(
      """
      {"workflow": "w", "runId": "r", "conclusion": "success", "durationMilliseconds": 9,
       "gate": {"outcome": "ready", "openedAt": 5, "readyAt": 5},
       "criticalPath": [{"step": "a", "start": 0, "end": 5}],
       "steps": {"a": {"outcome": "success", "startedAt": 0, "endedAt": 5, "blocking": true}}}
      """, to: "old.json")
    let output = try tool.run("analyze", "old.json")
    #expect(output.exitCode == 0 && output.standardOutput.contains("by an older flowrun"), "\(output)")
  }
}
