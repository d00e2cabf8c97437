import FlowEngine
import FlowModel
import FlowSystem

extension RunSession {
  /// Reports the maximum time that stopping the run may take, if this flowrun was started by a step of another one: the
  /// stop times of its steps, then those of cleanup steps, whose commands are stopped in the same way.
  static func reportStopTime(of workflow: Workflow) {
    let policies = workflow.steps.compactMap { $0.with[StopPolicy.input]?.objectValue.flatMap { try? StopPolicy($0) } }
    let stop = policies.map(\.within).reduce(StopPolicy().within, max) + .seconds(1)
    let cleanup = workflow.cleanup ?? .nanoseconds(Plan.cleanupNanoseconds)
    let cleans = workflow.steps.contains { $0.hasOptions && ($0.options.isFinal || $0.options.condition != nil) }
    StopTime.report(stop + cleanup + stop + margin, usual: cleans ? stop + cleanup + stop : stop)
  }

  /// The time for writing results at the end.
  private static let margin = Duration.seconds(5)
}
