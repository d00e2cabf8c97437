import BasicsPlugin
import FlowHistory
import FlowKit
import FlowSyntax
import Foundation
import Synchronization
import Testing

/// The code that the build plugin would generate for a workflow, written by hand.
private struct Launch: PackagedWorkflow {
  struct Inputs: WorkflowInputs {
    var values: ValueObject { [:] }
  }

  struct Outputs: WorkflowOutputs {
    init(values: ValueObject) {}
  }

  static let compiled: [UInt8] = {
    let text = """
      name: launch
      deadline: { max: 5m }
      steps: { one: { uses: flow.noop }, two: { uses: flow.noop, needs: one } }
      """
    return WorkflowLoader(catalog: AppHistoryTests.engine.registry).load(bytes: Array(text.utf8), file: "launch.yaml")
      .compiled?.bytes ?? []
  }()
}

@Suite(.timeLimit(.minutes(10))) struct AppHistoryTests {
  static let engine = Engine { BasicsPlugin() }
  private let folder = FileManager.default.temporaryDirectory.path + "/flowrun-history-\(UUID().uuidString)"

  init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

  private func run(_ history: AppHistory) async throws -> RunReport {
    var options = RunOptions(dataFolder: folder, workflowFolder: folder)
    options.history = history.recording(Launch())
    return await (try Self.engine.start(Launch(), .init(), options: options)).report
  }

  @Test func `an app records its launches and lists them, newest first`() async throws {
    let history = AppHistory(folder + "/runs.sqlite")
    #expect(try history.runs().isEmpty)
    let reports = [try await run(history), try await run(history), try await run(history)]
    #expect(reports.allSatisfy { $0.warnings.isEmpty })
    let runs = try history.runs()
    #expect(runs.map(\.id) == reports.reversed().map(\.runID))
    #expect(runs.allSatisfy { $0.workflow == "launch" && $0.state == .success && $0.duration != nil })
    #expect(runs.allSatisfy { ($0.gateOpenedAfter ?? .seconds(-1)) >= .zero })
    #expect(try history.runs(limit: 1) == [runs[0]])
    #expect(try history.remove([runs[2]]) == 1)
    #expect(try history.runs() == [runs[0], runs[1]])
  }

  @Test func `each recorded launch uses the app's retention limit and the names of its steps`() async throws {
    var history = AppHistory(folder + "/runs.sqlite")
    history.retention.runs = 3
    #expect(history.recording(Launch()).retention.runs == 3)
    #expect(history.recording(Launch()).stepNames(Launch.compiled) == ["one", "two"])
    #expect(history.recording(Launch()).stepNames([1]) == nil)
  }

  @Test func `a history file still lists its earlier runs after its folder has moved`() async throws {
    let first = try await run(AppHistory(folder + "/runs.sqlite"))
    let moved = folder + "-moved"
    try FileManager.default.moveItem(atPath: folder, toPath: moved)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let history = AppHistory(moved + "/runs.sqlite")
    let second = try await run(history)
    #expect(try history.runs().map(\.id) == [second.runID, first.runID])
  }

  @Test func `a damaged history file is moved aside and reported, and the run is recorded in a new one`() async throws {
    let path = folder + "/runs.sqlite"
    try Data(repeating: 7, count: 9_000).write(to: URL(fileURLWithPath: path))
    let found = Mutex<[String]>([])
    let history = AppHistory(path) { cause, moved in found.withLock { $0 += [cause, moved] } }
    let report = try await run(history)
    #expect(try history.runs().map(\.id) == [report.runID])
    let words = found.withLock { $0 }
    #expect(words.count == 2 && words.last?.hasPrefix(path + ".damaged-") == true, "\(words)")
  }

  @Test func `a run succeeds but is not recorded if the history folder cannot be created`() async throws {
    try Data().write(to: URL(fileURLWithPath: folder + "/file"))
    let history = AppHistory(folder + "/file/runs.sqlite")
    let report = try await run(history)
    #expect(report.conclusion == .success)
    #expect(report.warnings.contains { $0.hasPrefix("history: ") }, "\(report.warnings)")
  }
}
