import FlowEngine
import FlowModel
import Testing

@testable import FlowCLI

/// Where the live view says a run stands.
struct RunProgressTests {
  @Test func `a step with a computed defer is what its expression made of it at activation`() throws {
    var options = StepOptions()
    options.deferral = .expression("inputs.late")
    let ids = ["computed", "below", "free"].map { StepID(unchecked: $0) }
    let graph = try WorkflowGraph(
      Workflow(
        name: "test",
        steps: [
          Step(id: ids[0], uses: "flow.noop", options: options), Step(id: ids[1], uses: "flow.noop", needs: [0]),
          Step(id: ids[2], uses: "flow.noop"),
        ]))
    var progress = RunProgress(graph)
    progress.apply(RunEvent(atNanoseconds: 0, .runActivated(reason: .user, deferred: [])))
    #expect(progress.rows.map(\.isBlocking) == [true, true, true])
    #expect(progress.rows.map { progress.waits(for: $0, isGated: true) } == ["", "computed", ""])
    progress = RunProgress(graph)
    progress.apply(RunEvent(atNanoseconds: 0, .runActivated(reason: .user, deferred: [0])))
    #expect(progress.rows.map(\.isBlocking) == [false, false, true])
    #expect(progress.waits(for: progress.rows[0], isGated: true) == "the gate")
  }
}
