import FlowInsight
import FlowModel
import TestSupport
import Testing

/// Critical paths and slack that are computed from reports.
struct `A recorded run` {
  private func criticalPath(_ steps: String, durable: Bool = false) throws -> [String] {
    let text = """
      { "schema": 2, "workflow": "app", "conclusion": "success", "durationMilliseconds": 100,
        "gate": { "outcome": "ready", "openedAt": 100, "readyAt": 100, "min": 0, "max": null },
        "durable": \(durable), "steps": \(steps) }
      """
    let run = try ReportedRun(try JSONText.parse(text))
    return run.criticalPath.map { link in
      "\(link.step.map { run.course.shape.steps[$0].id } ?? "-") \(link.cause.rawValue) "
        + "\(link.start / 1_000_000)-\(link.end / 1_000_000)"
    }
  }

  private let blocking = #""outcome": "success", "blocking": true, "queue": "user-initiated""#

  @Test func `the critical path shows a wait for the executor until a worker begins the step`() throws {
    let steps = #"{ "a": { \#(blocking), "readyAt": 0, "startedAt": 10, "begunAt": 60, "endedAt": 100 } }"#
    #expect(try criticalPath(steps) == ["a executor 0-60", "a run 60-100"])
  }

  @Test func `the critical path shows a wait for the executor until the end of a step that no worker began`() throws {
    let steps = #"{ "a": { \#(blocking), "readyAt": 0, "startedAt": 0, "begunAt": null, "endedAt": 100 } }"#
    #expect(try criticalPath(steps) == ["a executor 0-100"])
  }

  @Test func `the critical path includes each attempt of a step on an executor`() throws {
    let steps = #"""
      { "a": { \#(blocking), "readyAt": 0, "startedAt": 0, "begunAt": 20, "endedAt": 100, "attemptTimes": [
          { "startedAt": 0, "begunAt": 20, "endedAt": 40 }, { "startedAt": 50, "begunAt": 80, "endedAt": 100 }] } }
      """#
    #expect(
      try criticalPath(steps) == [
        "a executor 0-20", "a run 20-40", "a retry 40-50", "a executor 50-80", "a run 80-100",
      ])
  }

  @Test func `the critical path shows a wait for the disk in a durable run, and otherwise for a thread`() throws {
    let steps = #"{ "a": { \#(blocking), "readyAt": 0, "startedAt": 30, "endedAt": 100 } }"#
    #expect(try criticalPath(steps, durable: true) == ["a commit 0-30", "a run 30-100"])
    #expect(try criticalPath(steps) == ["a thread 0-30", "a run 30-100"])
  }

  @Test func `the critical path includes the attempts of items and their waits for slots`() throws {
    let steps = #"""
      { "a": { \#(blocking), "readyAt": 0, "startedAt": 0, "endedAt": 100, "items": [
          { "startedAt": 0, "endedAt": 30 },
          { "startedAt": 35, "endedAt": 100, "attemptTimes": [
            { "startedAt": 35, "endedAt": 50 }, { "startedAt": 70, "endedAt": 100 }] }] } }
      """#
    #expect(try criticalPath(steps) == ["a run 0-30", "a queue 30-35", "a run 35-50", "a retry 50-70", "a run 70-100"])
  }

  @Test func `the slack of each step is computed, even in a run with thousands of steps`() throws {
    let count = TestExtent.count(usual: 2_000, release: 20_000, long: 20_000)
    // Each step needs the one before the last, so two steps run at a time, for 100 ms in total.
    let length = 200 / Double(count)
    let many = (0..<count).map { index in
      let needs = index < 2 ? "" : #", "needs": ["s\#(index - 2)"]"#
      let start = Double(index / 2) * length
      let end = start + (index % 2 == 0 ? length : length - 0.001)
      return
        #""s\#(index)": { \#(blocking), "readyAt": \#(start), "startedAt": \#(start), "endedAt": \#(end)\#(needs) }"#
    }
    let text = """
      { "schema": 2, "workflow": "app", "conclusion": "success", "durationMilliseconds": 100,
        "gate": { "outcome": "ready", "openedAt": 100, "readyAt": 100, "min": 0, "max": null },
        "steps": { \(many.joined(separator: ",\n")) } }
      """
    let analysis = RunAnalysis(try ReportedRun(try JSONText.parse(text)))
    #expect(!analysis.isSlackPartial && analysis.slack.count == count)
    #expect(analysis.slack[0] == 0)
    // Every second step is one microsecond shorter, and these steps form a chain.
    #expect(analysis.slack[1].flatMap { $0 } == count / 2 * 1_000)
  }
}
