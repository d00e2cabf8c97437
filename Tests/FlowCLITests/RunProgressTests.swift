import FlowEngine
import FlowModel
import Testing

@testable import FlowCLI

/// The counts of steps that the live view shows.
struct RunProgressTests {
  private func graph(_ steps: [Step]) throws -> WorkflowGraph {
    try WorkflowGraph(Workflow(name: "test", steps: steps))
  }

  @Test func `a computed defer decides at activation whether a step and its dependents are blocking`() throws {
    var options = StepOptions()
    options.deferral = .expression("inputs.late")
    let ids = ["computed", "below", "free"].map { StepID(unchecked: $0) }
    let graph = try graph([
      Step(id: ids[0], uses: "flow.noop", options: options), Step(id: ids[1], uses: "flow.noop", needs: [0]),
      Step(id: ids[2], uses: "flow.noop"),
    ])
    var progress = RunProgress(graph)
    progress.apply(RunEvent(atNanoseconds: 0, .runActivated(reason: .user, deferred: [])))
    #expect(progress.rows.map(\.isBlocking) == [true, true, true])
    #expect(progress.openBlockingCount == 3)
    progress = RunProgress(graph)
    progress.apply(RunEvent(atNanoseconds: 0, .runActivated(reason: .user, deferred: [0])))
    #expect(progress.rows.map(\.isBlocking) == [false, false, true])
    #expect(progress.openBlockingCount == 1)
  }

  @Test func `running steps are listed by start time, and finished ones are counted by outcome`() throws {
    let ids = ["a", "b", "c", "d"].map { StepID(unchecked: $0) }
    var progress = RunProgress(try graph(ids.map { Step(id: $0, uses: "flow.noop") }))
    for (time, step) in ["c", "a", "b"].enumerated() {
      progress.apply(RunEvent(atNanoseconds: time, ViewStage.started(step)))
    }
    #expect(progress.running == [2, 0, 1])
    progress.apply(
      RunEvent(atNanoseconds: 9, .stepRetrying(ids[0], attempt: 1, delayMilliseconds: 5, failure: nil)))
    progress.apply(RunEvent(atNanoseconds: 9, ViewStage.done("c", .timedOut)))
    progress.apply(RunEvent(atNanoseconds: 9, ViewStage.done("d", .skipped)))
    #expect(progress.running == [0, 1])
    #expect(progress.counts == RunProgress.Counts(succeeded: 0, failed: 1, cancelled: 0, skipped: 1))
  }

  @Test func `steps kept by a resume count as finished`() throws {
    let ids = ["a", "b"].map { StepID(unchecked: $0) }
    let progress = RunProgress(try graph(ids.map { Step(id: $0, uses: "flow.noop") }), finished: [0])
    #expect(progress.counts.finished == 1 && progress.openBlockingCount == 1)
  }
}
