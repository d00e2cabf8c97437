import FlowModel
import Foundation
import TestSupport
import Testing

/// Outputs of runs for build servers and trace collectors.
@Suite(.timeLimit(.minutes(10))) struct `A run on a build server` {
  private static let workflow = """
    name: build
    secrets:
      token: { env: CI_TEST_TOKEN }
    steps:
      fetch: { run: echo fetched }
      test:
        needs: fetch
        env: { TOKEN: "${{ secrets.token }}" }
        run: |
          echo "token is $TOKEN" >&2
          exit 3

    """

  private static func run(
    _ tool: CommandLineTool, _ arguments: [String], _ environment: [String: String] = [:]
  ) throws -> FlowrunProcess.Result {
    var variables = ["CI_TEST_TOKEN": "s3cret-token-71", "GITHUB_WORKSPACE": tool.folder.path]
    for (name, value) in environment { variables[name] = value }
    return try FlowrunProcess.run(arguments, in: tool.folder.path, environment: variables)
  }

  @Test func `a run writes a JUnit report, annotations, a summary and a code quality report without secrets`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(Self.workflow, to: "build.yaml")
    try tool.write("Earlier lines\n", to: "summary.md")
    let result = try Self.run(
      tool,
      ["build.yaml", "--junit", "junit.xml", "--annotations", "github", "--code-quality", "quality.json"],
      ["GITHUB_STEP_SUMMARY": tool.folder.path + "/summary.md"])
    #expect(result.exitCode == 1, "\(result.errors)")
    let annotations = result.errors.split(separator: "\n").filter { $0.hasPrefix("::") }
    #expect(annotations.count == 1)
    #expect(annotations.first?.hasPrefix("::error file=build.yaml,line=6,col=3,title=step 'test' failed::") == true)
    #expect(annotations.first?.contains(": token is ***") == true)
    let junit = try tool.text(of: "junit.xml")
    #expect(junit.contains(#"<testsuite name="build" tests="2" failures="1" errors="0" skipped="0""#))
    let read = "python3 -c 'import sys, xml.etree.ElementTree as t; print(len(t.parse(sys.stdin).getroot()))'"
    #expect(try Shell.run(read, input: junit).output == "1\n")
    let summary = try tool.text(of: "summary.md")
    #expect(summary.hasPrefix("Earlier lines\n### build: failure\n") && summary.contains("| fetch | success |"))
    let quality = try #require(JSONText.parse(Array(tool.text(of: "quality.json").utf8)).arrayValue)
    #expect(quality.map { $0["location"]?["lines"]?["begin"] } == [6])
    for text in [result.output, result.errors, junit, summary, try tool.text(of: "quality.json")] {
      #expect(!text.contains("s3cret") && text.contains("token is ***"))
    }
  }

  @Test func `a run that cannot start removes the output files of an earlier run`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write("name: bad\nsteps: { a: { uses: no.such } }\n", to: "bad.yaml")
    try tool.write("name: late\nenv-file: no.env\nsteps: { a: { run: 'true' } }\n", to: "late.yaml")
    let files = ["report.json", "trace.json", "junit.xml", "quality.json"]
    for name in ["bad.yaml", "late.yaml", "missing.yaml"] {
      for file in files { try tool.write("old", to: file) }
      let result = try FlowrunProcess.run(
        [name, "--report", files[0], "--trace", files[1], "--junit", files[2], "--code-quality", files[3]],
        in: tool.folder.path)
      #expect(result.exitCode == 2, "\(result.errors)")
      let left = files.filter { FileManager.default.fileExists(atPath: "\(tool.folder.path)/\($0)") }
      // Problems with the workflow itself are findings, so their file is written.
      #expect(left == (name == "bad.yaml" ? ["quality.json"] : []), "\(name)")
      if name == "bad.yaml" { #expect(try tool.text(of: "quality.json").contains("no.such")) }
    }
  }

  @Test func `run and validate annotate the invalid lines of a workflow`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write("name: x\nsteps:\n  a: { uses: flow.nop }\n", to: "flows/broken.yaml")
    for subcommand in ["run", "validate"] {
      let result = try Self.run(
        tool, [subcommand, "flows/broken.yaml", "--annotations", "github", "--code-quality", "quality.json"])
      #expect(result.exitCode == 2)
      #expect(result.errors.contains("::error file=flows/broken.yaml,line=3,col=14,title="), "\(result.errors)")
      #expect(try tool.text(of: "quality.json").contains(#""path": "flows/broken.yaml""#))
      try FileManager.default.removeItem(at: tool.folder.appendingPathComponent("quality.json"))
    }
  }

  @Test(
    arguments: [
      (["--junit", "folder"], 74, "cannot write 'folder': it is a folder"),
      (["--junit", "missing/j.xml"], 74, "the folder 'missing' does not exist"),
      (["--junit", "same", "--code-quality", "same"], 64, "--junit and --code-quality name the same file, 'same'"),
      (["--junit", "build.yaml"], 64, "--junit 'build.yaml' would overwrite the workflow"),
      (["--otlp", "localhost:4318"], 64, "--otlp 'localhost:4318': expected http://HOST[:PORT]"),
      (["--annotations", "gitlab"], 64, "github"),
    ]) func `an invalid output option is reported before anything runs`(
      options: [String], code: Int32, message: String
    ) throws
  {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write("name: build\nsteps:\n  a: { run: touch ran }\n", to: "build.yaml")
    try FileManager.default.createDirectory(
      at: tool.folder.appendingPathComponent("folder"), withIntermediateDirectories: true)
    let result = try Self.run(tool, ["build.yaml"] + options)
    #expect(result.exitCode == code && result.errors.contains(message), "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: tool.folder.path + "/ran"))
  }

  @Test(.enabled(if: TraceReceiver.isInstalled))
  func `a run is sent to a collector as one trace, and commands and plugins receive its context`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    let receiver = try TraceReceiver()
    try tool.write(
      """
      name: traced
      deadline: { min: 10ms, max: 5s }
      steps:
        say: { run: 'echo "$TRACEPARENT" > say.txt' }
        each: { foreach: [a, b], run: 'echo "$TRACEPARENT" > "each-$N.txt"', env: { N: "${{ item }}" } }
        again:
          retry: { attempts: 2, delay: 1ms }
          run: 'echo "$TRACEPARENT" > again.txt; test "$FLOWRUN_ATTEMPT" = 2'
        ask: { uses: echo.parent }

      """, to: "traced.yaml")
    try tool.write(
      """
      name: echo
      version: 1.0.0
      protocol: 1
      command: [python3, plugin.py]
      actions:
        echo.parent: { summary: Writes its trace context }

      """, to: "plugins/echo/plugin.yaml")
    try tool.write(
      """
      import json, sys
      for line in sys.stdin:
          message = json.loads(line)
          if message["method"] == "initialize":
              answer = {"name": "echo", "version": "1.0.0", "actions": ["echo.parent"]}
          elif message["method"] == "run":
              open("\(tool.folder.path)/ask.txt", "w").write(message["params"]["env"]["TRACEPARENT"] + "\\n")
              answer = {"outputs": {}}
          else:
              continue
          print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": answer}), flush=True)

      """, to: "plugins/echo/plugin.py")
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    let began = Int(Date.now.timeIntervalSince1970 * 1e9)
    let result = try Self.run(
      tool, ["traced.yaml", "--otlp", receiver.address + "/ok"], ["TRACEPARENT": parent])
    #expect(result.exitCode == 0 && !result.errors.contains("warning"), "\(result.output)\(result.errors)")
    let spans = try receiver.spans.map { try JSONText.parse(Array($0.utf8)) }
    let byName = Dictionary(uniqueKeysWithValues: spans.map { ($0["name"]?.stringValue ?? "", $0) })
    #expect(
      Set(byName.keys) == [
        "traced", "say", "say attempt 1", "each", "each[0]", "each[0] attempt 1", "each[1]", "each[1] attempt 1",
        "again", "again attempt 1", "again attempt 2", "ask", "ask attempt 1",
      ])
    let run = try #require(byName["traced"])
    #expect(run["parent"] == "b7ad6b7169203331" && run["events"]?.arrayValue?.first?["name"] == "gate opened")
    #expect(run["resource"]?["service.name"] == "flowrun")
    for span in spans {
      #expect(span["trace"] == "0af7651916cd43dd8448eb211c80319c" && span["kind"] == 1 && span["exact"] == true)
      let (start, end) = (span["start"]?.integerValue ?? 0, span["end"]?.integerValue ?? 0)
      #expect(start <= end && start >= began && end <= Int(Date.now.timeIntervalSince1970 * 1e9))
    }
    #expect(byName["again attempt 1"]?["status"] == 2 && byName["again attempt 2"]?["status"] == 0)
    for (file, attempt) in [
      ("say", "say attempt 1"), ("each-b", "each[1] attempt 1"), ("again", "again attempt 2"), ("ask", "ask attempt 1"),
    ] {
      let id = byName[attempt]?["id"]?.stringValue ?? ""
      #expect(try tool.text(of: "\(file).txt") == "00-0af7651916cd43dd8448eb211c80319c-\(id)-01\n")
    }
  }

  @Test(.enabled(if: TraceReceiver.isInstalled))
  func `a failing collector does not change the result of a run, and one warning reports lost spans`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    let receiver = try TraceReceiver()
    try tool.write("name: x\nsteps:\n  a: { uses: flow.noop }\n", to: "x.yaml")
    // The behavior of the receiver, the number of lost spans out of three, and the reported reason.
    let cases = [
      ("busy", 0, ""), ("reject", 2, "the server rejected them: too many"), ("error", 3, "the server answered 400"),
      ("wrong", 3, "it is not HTTP"), ("silent", 3, "no answer"), ("negative", 3, "the server answered 503"),
    ]
    for (mode, lost, reason) in cases {
      let began = ContinuousClock.now
      let address = "\(receiver.address)/\(mode)"
      let result = try Self.run(tool, ["x.yaml", "--otlp", address])
      #expect(result.exitCode == 0 && began.duration(to: .now) < .seconds(20))
      let lines = result.errors.split(separator: "\n")
      #expect(lines.count == (lost == 0 ? 0 : 1), "\(mode): \(result.errors)")
      let warning = "flowrun: warning: \(lost) of the run's 3 spans did not reach \(address)/v1/traces: \(reason)"
      #expect(lines.allSatisfy { $0.hasPrefix(warning) }, "\(mode): \(result.errors)")
      if mode == "busy" { #expect(receiver.spans.count == 3) }
    }
  }

  @Test func `a collector that refuses connections causes a warning and does not change the result of a run`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write("name: x\nsteps:\n  a: { run: exit 3 }\n", to: "x.yaml")
    let result = try Self.run(tool, ["x.yaml", "--otlp", "http://127.0.0.1:1"])
    #expect(result.exitCode == 1)
    #expect(
      result.errors.contains(
        "flowrun: warning: 3 of the run's 3 spans did not reach http://127.0.0.1:1/v1/traces: Connection refused\n"))
  }

  @Test func `an https collector is accepted only if flowrun was built with TLS`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write("name: x\nsteps:\n  a: { uses: flow.noop }\n", to: "x.yaml")
    let result = try Self.run(tool, ["x.yaml", "--otlp", "https://127.0.0.1:1"])
    #if Network
      let warning = "flowrun: warning: 3 of the run's 3 spans did not reach https://127.0.0.1:1/v1/traces: "
      #expect(result.exitCode == 0 && result.errors.hasPrefix(warning), "\(result.errors)")
    #else
      #expect(result.exitCode == 64 && result.errors.contains("this flowrun was built without TLS"), "\(result.errors)")
    #endif
  }
}
