import FlowModel
import FlowStore

/// A recorded run of an app.
public struct RecordedRun: Sendable, Hashable, Identifiable {
  /// The run's id, as in `RunReport.runID`.
  public let id: String
  /// The name of the workflow.
  public let workflow: String
  /// The state: running, the conclusion, or interrupted if its process ended before the run.
  public let state: StoredRun.State
  /// The start, in milliseconds since 1970.
  public let startedMilliseconds: Int
  /// The report without its steps, or nil before the end.
  public let summary: ValueObject?

  init(_ run: StoredRun) {
    id = run.id
    workflow = run.workflow
    state = run.state
    startedMilliseconds = run.startedMilliseconds
    summary = run.summary.isEmpty ? nil : try? JSONText.parse(run.summary).objectValue
  }

  /// The duration of the run, or nil before its end.
  public var duration: Duration? { summary?["durationMilliseconds"]?.numberValue.map { .milliseconds($0) } }

  /// The time from the start until the gate opened, or nil if it did not or the workflow has no gate.
  public var gateOpenedAfter: Duration? {
    summary?["gate"]?.objectValue?["openedAt"]?.numberValue.map { .milliseconds($0) }
  }
}
