import FlowEngine
import FlowModel
import FlowPluginKit
import FlowTestKit
import Foundation
import Testing

/// Runs real bodies on a clock that advances only while all of them wait.
@Suite(.timeLimit(.minutes(10))) struct VirtualClockTests {
  private func report(
    _ steps: [Step], gate: GateDeadline? = nil, _ change: (inout RunOptions) -> Void = { _ in }
  ) async throws -> RunReport {
    var workflow = Workflow(name: "virtual", steps: steps)
    workflow.gate = gate
    workflow.events = [EventDeclaration("go")]
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("virtual-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var options = RunOptions(dataFolder: folder, workflowFolder: folder)
    options.clock = VirtualClock()
    change(&options)
    let engine = Engine(plugins: [SleepingPlugin()])
    return try await engine.start(WorkflowGraph(workflow), options: options).report
  }

  private func step(_ id: String, _ action: String = "sleeping.hour", needs: [StepIndex] = []) -> Step {
    Step(id: StepID(unchecked: id), uses: action, needs: needs[...])
  }

  @Test func `hours of sleep pass in seconds on a virtual clock, and steps run in order`() async throws {
    let start = ContinuousClock.now
    let report = try await report([step("a"), step("b", needs: [0]), step("c", "sleeping.work", needs: [1])])
    #expect(
      report.timeline() == [
        "0s a starts", "1h a: success", "1h b starts", "2h b: success", "2h c starts", "2h c: success",
        "2h the gate opens: ready",
      ])
    #expect(ContinuousClock.now - start < .seconds(30))
  }

  @Test func `on a virtual clock, deadlines, the gate and announced events occur at their exact times`() async throws {
    var late = step("late")
    late.options.deadline = StepDeadline(max: .seconds(60))
    late.options.isOptional = true
    late.options.blocking = false
    var after = step("after", "sleeping.work")
    after.options.after = ["go"]
    after.options.deferral = .afterGate
    let report = try await report(
      [late, step("slow"), after], gate: GateDeadline(max: .literal(.seconds(90)))
    ) { $0.announcedEvents = [("go", .seconds(100))] }
    #expect(
      report.timeline() == [
        "0s late starts", "0s slow starts", "1m late: timed-out", "1m30s the gate opens: timed-out",
        "1m40s after starts",
        "1m40s after: success", "1h slow: success",
      ])
  }

  @Test func `a virtual clock does not advance while a body works in real time`() async throws {
    let report = try await report([step("work", "sleeping.work"), step("hour")])
    #expect(report.steps[0].endedAt == 0)
  }
}

private struct SleepingPlugin: Plugin {
  static let name = "sleeping"
  var actions: [any ActionType.Type] { [Hour.self, Work.self] }
}

private struct Hour: AsyncAction {
  static let name = "sleeping.hour"
  static let summary = "Sleeps on the run's clock"
  nonisolated(nonsending) func run(_ input: NoInput, in context: ActionContext) async throws -> NoOutput {
    try await context.sleep(for: .seconds(3_600))
    return NoOutput()
  }
}

private struct Work: Action {
  static let name = "sleeping.work"
  static let summary = "Works for a moment of real time"
  func run(_ input: NoInput, in context: ActionContext) throws -> NoOutput {
    Foundation.Thread.sleep(forTimeInterval: 0.02)
    return NoOutput()
  }
}
