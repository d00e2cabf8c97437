import FlowEngine
import FlowModel
import FlowSystem

extension RunSession {
  /// Reports to a flowrun in whose command this one runs how long the run may take to stop: its steps their own time, then those that
  /// clean up, which end as their commands do.
  static func reportStopTime(of workflow: Workflow) {
    let policies = workflow.steps.compactMap { $0.with[StopPolicy.input]?.objectValue.flatMap { try? StopPolicy($0) } }
    let stop = policies.map(\.within).reduce(StopPolicy().within, max) + .seconds(1)
    let cleanup = workflow.cleanup ?? .nanoseconds(Plan.cleanupNanoseconds)
    let cleans = workflow.steps.contains { $0.hasOptions && ($0.options.isFinal || $0.options.condition != nil) }
    StopTime.report(stop + cleanup + stop + margin, usual: cleans ? stop + cleanup + stop : stop)
  }

  /// The time for what is written at the end.
  private static let margin = Duration.seconds(5)
}
