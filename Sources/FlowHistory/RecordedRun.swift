import FlowModel
import FlowStore

/// A run of an app that was recorded.
public struct RecordedRun: Sendable, Hashable, Identifiable {
  /// The run's id, as in `RunReport.runID`.
  public let id: String
  /// The name of the workflow.
  public let workflow: String
  /// Whether it runs, how it ended, or that its process ended before it.
  public let state: StoredRun.State
  /// Milliseconds since 1970 at which it started.
  public let startedMilliseconds: Int
  /// The report without its steps; nil before the end.
  public let summary: ValueObject?

  init(_ run: StoredRun) {
    id = run.id
    workflow = run.workflow
    state = run.state
    startedMilliseconds = run.startedMilliseconds
    summary = run.summary.isEmpty ? nil : try? JSONText.parse(run.summary).objectValue
  }

  /// The time that it took; nil before the end.
  public var duration: Duration? { summary?["durationMilliseconds"]?.numberValue.map { .milliseconds($0) } }

  /// The time from the start until the gate opened; nil if it did not, or if the workflow has no gate.
  public var gateOpenedAfter: Duration? {
    summary?["gate"]?.objectValue?["openedAt"]?.numberValue.map { .milliseconds($0) }
  }
}
