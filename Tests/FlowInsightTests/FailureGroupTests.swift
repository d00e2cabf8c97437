import FlowInsight
import FlowModel
import Testing

/// Groups of similar failures of items.
struct `Groups of failures` {
  private func failures(_ messages: [String]) throws -> [ReportedFailure] {
    let items = messages.enumerated().map { index, message -> Value in
      [
        "index": .integer(index), "outcome": "failure", "attempts": 1,
        "error": ["code": "exit", "message": .string(message)],
      ]
    }
    let report: Value = [
      "schema": 2, "workflow": "app", "conclusion": "failure", "durationMilliseconds": 100,
      "steps": ["convert": ["outcome": "failure", "items": .array(items)]],
    ]
    return try ReportedRun(report).failures
  }

  @Test func `failures of items that differ only in numbers and paths form one group`() throws {
    let groups = FailureGroups.of(
      try failures([
        "data/a.csv: line 3 has 4 columns", "data/b.csv: line 17 has 4 columns", "data/c.csv: no header",
        "'convert /tmp/x 1.5' exited with status 1", "'convert /tmp/y 2' exited with status 1",
      ]))
    #expect(groups.map { $0.map(\.item) } == [[0, 1], [2], [3, 4]])
  }

  @Test func `failures that differ only in the item's value form one group, unless the value is a part of a word`()
    throws
  {
    var found = try failures(["'cat sales' exited", "'cat costs' exited", "'cat salesmen' exited"])
    for (place, value) in ["sales", "costs", "sales"].enumerated() { found[place].value = .string(value) }
    #expect(FailureGroups.of(found).map { $0.map(\.item) } == [[0, 1], [2]])
    #expect(FailureGroups.of(try failures(["'cat sales' exited", "'cat costs' exited"])).count == 2)
    let pattern = { FailureGroups.pattern(of: $0, value: $1) }
    // A message may name a file by its path, its name or its name without the extension.
    #expect(pattern("report.csv is empty", "in/report.csv") == pattern("other.csv is empty", "in/other.csv"))
    #expect(pattern("no table report", "in/report.csv") == pattern("no table other", "in/other.csv"))
    #expect(pattern("arm64 on linux failed", ["cpu": "arm64", "os": "linux"]) == "… on … failed")
  }

  @Test func `failures with different messages are in separate groups`() {
    #expect(
      FailureGroups.pattern(of: "no such file", value: nil) != FailureGroups.pattern(of: "no such user", value: nil))
    #expect(FailureGroups.pattern(of: "after 1.5 s", value: nil) == "after 0 s")
  }
}
