import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowPluginKit
import FlowSyntax
import Foundation
import Testing

@testable import FlowCLI

/// The end of a run: a few lines with failures and the commands to use next.
struct `The end of a run` {
  /// Runs a workflow in this process. Returns the lines of its summary.
  private func summary(
    _ yaml: String, hasShownFailures: Bool = false, isVerbose: Bool = false, columns: Int? = nil
  ) async throws -> [String] {
    let registry = ActionRegistry(BuiltInPlugins.all)
    let graph = try #require(
      WorkflowLoader(catalog: registry).load(bytes: Array(yaml.utf8), file: "test.yaml").graph)
    let folder = FileManager.default.temporaryDirectory.path + "/flowrun-summary-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let run = try Engine(registry: registry).start(
      graph, options: RunOptions(dataFolder: folder, workflowFolder: folder))
    let text = SummaryText(
      report: await run.report, subject: RunSubject(graph.workflow), style: TextStyle(isColored: false),
      commands: RunCommands(file: "test.yaml", store: nil), hasShownFailures: hasShownFailures, isVerbose: isVerbose,
      columns: columns
    ).text
    return text.split(separator: "\n").map { String($0).replacing(/[0-9.]+ m?s\b/, with: "TIME") }
  }

  private static let broken = """
    name: broken
    steps:
      build: { uses: flow.fail, with: { message: "make failed:\\n  one\\n  two\\n  three\\n  four\\n  five" } }
      test: { uses: flow.noop, needs: build }
      package: { uses: flow.noop, needs: test }
      docs: { uses: flow.noop }
    """

  @Test func `the summary has the cause of a failure, its last lines, skipped steps and next commands`() async throws {
    #expect(
      try await summary(Self.broken) == [
        "broken: failure in TIME (1 succeeded, 1 failed, 2 skipped)", "build failed: make failed [failed]", "  │ three",
        "  │ four", "  │ five", "skipped because of it: test, package", "logs: flowrun logs last --step build",
        "resume: flowrun resume last",
      ])
  }

  @Test func `the summary does not repeat a failure that is still visible`() async throws {
    #expect(
      try await summary(Self.broken, hasShownFailures: true) == [
        "broken: failure in TIME (1 succeeded, 1 failed, 2 skipped)", "failed: build",
        "skipped because of it: test, package", "logs: flowrun logs last --step build", "resume: flowrun resume last",
      ])
  }

  @Test(arguments: [false, true]) func `the summary has at most eight lines`(isGated: Bool) async throws {
    let deadline = isGated ? "deadline: 5s\n" : ""
    for count in [2, 3, 4, 30] {
      let steps = (1...count).map { number in
        "  f\(number): { uses: flow.fail, with: { message: \"broken \(number):\\n  a\\n  b\\n  c\\n  d\" } }\n"
          + "  after\(number): { uses: flow.noop, needs: f\(number) }\n"
      }
      let lines = try await summary("name: many\n\(deadline)steps:\n" + steps.joined(), columns: 80)
      #expect(lines.count <= SummaryText.lineLimit, "\(lines)")
      #expect(lines.count { $0.contains(" failed: broken") } == min(3, count))
      #expect(lines.contains("and \(count - 3) more: flowrun logs last --failed") == (count > 3))
      #expect(lines.contains("logs: flowrun logs last --failed") == (count <= 3))
      #expect(lines.last == "resume: flowrun resume last")
      #expect(lines.allSatisfy { TerminalText.columns(of: $0) < 80 })
      let names = try await summary("name: many\n\(deadline)steps:\n" + steps.joined(), hasShownFailures: true)
      let more = count > 3 ? " and \(count - 3) more: flowrun logs last --failed" : ""
      #expect(names.contains("failed: " + (1...min(3, count)).map { "f\($0)" }.joined(separator: ", ") + more))
    }
  }

  @Test func `the summary shortens a long cause in the middle`() async throws {
    let message = "'" + String(repeating: "构建 --verbose ", count: 20) + "' exited with status 2"
    let lines = try await summary(
      "name: x\nsteps: { a: { uses: flow.fail, with: { message: \"\(message)\" } } }", columns: 80)
    #expect(lines[1].hasPrefix("a failed: '构建 --verbose ") && lines[1].hasSuffix("exited with status 2 [failed]"))
    #expect(lines[1].contains("…") && TerminalText.columns(of: lines[1]) < 80)
  }

  @Test func `the summary names the failed step of an included workflow, not the step that includes the workflow`() {
    #expect(SummaryText.owners(of: ["part", "part/deeper/inner", "other"]) == ["part", "part/deeper"])
  }

  @Test func `the summary lists exceeded estimates only if there are budgets or in verbose mode`()
    async throws
  {
    let steps = """
      steps:
        slow: { uses: flow.sleep, with: { for: 20ms }, estimate: 1ms..2ms }
        fast: { uses: flow.noop, estimate: 10s..20s }
      """
    let line = "longer than estimated: slow TIME (1ms to 2ms)"
    let usual = try await summary("name: x\n" + steps)
    #expect(usual == ["x: success in TIME (2 succeeded)"], "\(usual)")
    #expect(try await summary("name: x\nbudgets: ['p95(gate) <= 9s']\ndeadline: 9s\n" + steps).contains(line))
    let verbose = try await summary("name: x\n" + steps, isVerbose: true)
    #expect(verbose.contains(line) && verbose.contains { $0.hasPrefix("critical path: slow TIME") })
  }

  @Test func `the commands in the summary name the folder of the store unless it is the working folder`() {
    #expect(RunCommands(file: "w.yaml", store: nil).resume == "flowrun resume last")
    #expect(RunCommands(file: "./a/../w.yaml", store: nil).resume == "flowrun resume last")
    let below = RunCommands(file: "my flows/w.yaml", store: nil)
    #expect(below.logs(ofStep: "编译") == "flowrun logs last --step 编译 --in 'my flows'")
    #expect(RunCommands(file: "/far/w.yaml", store: nil).logsOfFailed == "flowrun logs last --failed --in /far")
    #expect(
      RunCommands(file: "w.yaml", store: "postgres://me:secret@db/x").resume
        == "flowrun resume last --store 'postgres://me:***@db/x'")
  }
}
