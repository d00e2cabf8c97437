import FlowInsight
import FlowModel
import Testing

/// Suggested changes to a recorded run.
struct `Suggestions for a run` {
  @Test func `changes that would save less than 1 % of a run are not suggested`() throws {
    let step = #""outcome": "success", "blocking": true, "queue": "user-initiated""#
    let text = """
      { "schema": 2, "workflow": "app", "conclusion": "success", "durationMilliseconds": 1050,
        "gate": { "outcome": "ready", "openedAt": 1050, "readyAt": 1050, "min": 0, "max": null },
        "steps": { "long": { \(step), "readyAt": 0, "startedAt": 0, "endedAt": 1000 },
          "short": { \(step), "needs": ["long"], "readyAt": 1000, "startedAt": 1000, "endedAt": 1050 } } }
      """
    let analysis = RunAnalysis(try ReportedRun(try JSONText.parse(text)))
    // Making the second step 10 % faster saves less than 1 % of the total of 1,050 ms.
    #expect(analysis.suggestions.filter { $0.change == .faster }.map(\.step) == [0])
  }

  @Test func `deferring a step is suggested only if there is a gate`() throws {
    let step = #""outcome": "success", "blocking": true, "queue": "user-initiated""#
    func deferred(maximum: String) throws -> [StepIndex] {
      let text = """
        { "schema": 2, "workflow": "app", "conclusion": "success", "durationMilliseconds": 1500,
          "gate": { "outcome": "ready", "openedAt": 1500, "readyAt": 1500, "min": 0, "max": \(maximum) },
          "steps": { "first": { \(step), "readyAt": 0, "startedAt": 0, "endedAt": 1000 },
            "last": { \(step), "needs": ["first"], "readyAt": 1000, "startedAt": 1000, "endedAt": 1500 } } }
        """
      let analysis = RunAnalysis(try ReportedRun(try JSONText.parse(text)))
      #expect(analysis.suggestions.contains { $0.change == .faster })
      return analysis.suggestions.filter { $0.change == .defer }.map(\.step)
    }
    #expect(try deferred(maximum: "5000") == [1])
    #expect(try deferred(maximum: "null").isEmpty)
  }
}
