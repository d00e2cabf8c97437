import FlowModel
import Testing

/// Facts about a run that are both in its report and in its record in the run store.
@Suite(.timeLimit(.minutes(10))) struct `The record of a run` {
  private static let workflows: [(name: String, text: String, options: [String])] = [
    (
      "steps that their minimum holds",
      """
      deadline: { min: 20ms, max: 5s }
      steps:
        a: { run: sleep 0.05 }
        b: { run: sleep 0.02, needs: a, deadline: { min: 200ms } }
        c: { run: 'test "$FLOWRUN_ATTEMPT" = 2', needs: b, retry: { attempts: 3, delay: 20ms }, deadline: { min: 150ms } }
        d: { foreach: [x, y], run: sleep 0.02, needs: c, deadline: { min: 100ms } }
        e: { uses: ./part.yaml, needs: d }
      """, []
    ),
    (
      "a durable run",
      """
      durable: true
      steps:
        a: { run: sleep 0.02, deadline: { min: 100ms } }
        b: { run: 'test "$FLOWRUN_ATTEMPT" = 2', needs: a, retry: { attempts: 3, delay: 20ms } }
        c: { foreach: [1, 2], run: sleep 0.02, needs: b, deadline: { min: 100ms } }
      """, []
    ),
    (
      "workers",
      """
      steps:
        a: { run: sleep 0.05, deadline: { min: 400ms } }
        b: { run: 'test "$FLOWRUN_ATTEMPT" = 2', needs: a, retry: { attempts: 3, delay: 20ms } }
        c: { foreach: [1, 2], run: sleep 0.02, needs: b, deadline: { min: 200ms } }
        d: { run: 'test "$FLOWRUN_ATTEMPT" = 2 || kill -9 $PPID', needs: c }
        # A warning about the killed worker may come after its step has run again.
        e: { run: sleep 1, needs: d }
      """, ["--on", "workers=2"]
    ),
    (
      "a held step of a run that timed out",
      """
      timeout: 200ms
      steps:
        a: { run: 'true', deadline: { min: 20s } }
        b: { foreach: [1], run: 'true', deadline: { min: 20s } }
        c: { run: exit 1, retry: { attempts: 2, delay: 20s } }
        d: { run: sleep 20 }
      """, []
    ),
    (
      "steps that exceed their maximum",
      """
      steps:
        a: { run: sleep 20, deadline: { max: 100ms }, optional: true }
        b: { run: sleep 20, retry: { attempts: 2, attempt-deadline: 100ms, delay: 10ms }, optional: true }
        c: { run: 'true', needs: [a, b] }
      """, []
    ),
    (
      "an event that two steps can post",
      """
      deadline: { max: 5s }
      events: [door, bell]
      steps:
        a: { uses: flow.post, with: { event: door } }
        b: { uses: flow.post, with: { event: door } }
        c: { run: sleep 0.02, after: door }
        d: { uses: flow.post, with: { event: bell }, needs: e }
        e: { run: sleep 0.3 }
        f: { run: 'true', after: bell }
      """, ["--event", "bell@100ms"]
    ),
    (
      "items with keys and values",
      """
      steps:
        a: { foreach: { items: { linux: 1, mac: 2 } }, run: 'echo no ${{ item }} >&2; exit 1', fail-fast: false }
        b: { foreach: { axes: { os: [l, w], cpu: [p, q] } }, run: 'exit 1', fail-fast: false }
        c: { foreach: [1, 2], if: item == 2, run: 'true' }
      """, []
    ),
  ]

  @Test(arguments: workflows.indices)
  func `the record of a run has the same facts and analysis as its report`(index: Int) throws {
    let (name, text, options) = Self.workflows[index]
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write("name: w\n\(text)\n", to: "w.yaml")
    try tool.write(
      """
      name: part
      steps:
        x: { run: sleep 0.03 }
        y: { run: sleep 0.02, needs: x, deadline: { min: 100ms } }

      """, to: "part.yaml")
    let run = try tool.run(["w.yaml", "--quiet", "--report", "report.json"] + options)
    #expect([0, 1].contains(run.exitCode), "\(name): \(run)")
    for format in ["text", "json"] {
      let written = try tool.run("analyze", "report.json", "--format", format)
      #expect(try tool.run("analyze", "last", "--format", format).standardOutput == written.standardOutput, "\(name)")
      #expect(written.exitCode == 0, "\(name): \(written)")
    }
    let report = try Self.facts(try tool.text(of: "report.json"))
    let record = try Self.facts(try tool.run("runs", "show", "last", "--json").standardOutput)
    for (key, value) in report where record[key] != value {
      let found = record[key].map { JSONText.write($0) } ?? "missing"
      Issue.record("\(name): \(key) is \(found), not \(JSONText.write(value))")
    }
  }

  @Test func `the record of a resumed run still has the attempts of kept steps`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      """
      name: w
      steps:
        a: { run: 'test "$FLOWRUN_ATTEMPT" = 2', retry: { attempts: 3, delay: 20ms }, deadline: { min: 200ms } }
        b: { foreach: [1, 2], run: 'test "$FLOWRUN_ATTEMPT" = 2', retry: { attempts: 3, delay: 20ms } }
        c: { run: test -e go, needs: [a, b] }

      """, to: "w.yaml")
    #expect(try tool.run("w.yaml", "--quiet").exitCode == 1)
    let before = try Self.facts(try tool.run("runs", "show", "last", "--json").standardOutput)
    try tool.write("", to: "go")
    #expect(try tool.run("resume", "--report", "report.json").exitCode == 0)
    let after = try Self.facts(try tool.run("runs", "show", "last", "--json").standardOutput)
    let report = try Self.facts(try tool.text(of: "report.json"))
    for key in ["a.attemptTimes", "b[0].attemptTimes", "b[1].attemptTimes"] {
      #expect(before[key]?.arrayValue?.count == 2 && after[key] == before[key] && report[key] == before[key], "\(key)")
    }
  }

  /// Returns the members of a report that are compared, by name: those of the run, and those of each step and item.
  private static func facts(_ text: String) throws -> [String: Value] {
    let report = try #require(try JSONText.parse(text).objectValue)
    var facts: [String: Value] = [:]
    for key in [
      "events", "gate", "queues", "concurrency", "durable", "warnings", "conclusion", "reason", "criticalPath",
    ] {
      facts[key] = report[key] ?? .null
    }
    func add(_ name: String, _ body: ValueObject) {
      for (key, value) in body where !["items", "steps", "kept", "lastLines"].contains(key) {
        facts["\(name).\(key)"] = value
      }
    }
    for (id, step) in report["steps"]?.objectValue ?? [:] {
      add(id, step.objectValue ?? [:])
      for (index, item) in (step.objectValue?["items"]?.arrayValue ?? []).enumerated() {
        add("\(id)[\(index)]", item.objectValue ?? [:])
      }
    }
    return facts
  }
}
