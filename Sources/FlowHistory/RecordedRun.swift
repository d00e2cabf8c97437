import FlowModel
import FlowStore

/// A recorded run of an app.
public struct RecordedRun: Sendable, Hashable, Identifiable {
  /// The id of the run, as in `RunReport.runID`.
  public let id: String
  /// The name of the workflow that ran.
  public let workflow: String
  /// The state: running, the conclusion, or interrupted if the process ended before the run did.
  public let state: StoredRun.State
  /// The time at which the run started, in milliseconds since 1970.
  public let startedMilliseconds: Int
  /// The report without its steps, or nil if the run has not ended.
  public let summary: ValueObject?

  init(_ run: StoredRun) {
    id = run.id
    workflow = run.workflow
    state = run.state
    startedMilliseconds = run.startedMilliseconds
    summary = run.summary.isEmpty ? nil : try? JSONText.parse(run.summary).objectValue
  }

  /// The time from activation to the end of the run, or nil if the run has not ended.
  public var duration: Duration? { summary?["durationMilliseconds"]?.numberValue.map { .milliseconds($0) } }

  /// The time from activation until the gate opened, or nil if the gate did not open or the workflow has none.
  public var gateOpenedAfter: Duration? {
    summary?["gate"]?.objectValue?["openedAt"]?.numberValue.map { .milliseconds($0) }
  }
}
