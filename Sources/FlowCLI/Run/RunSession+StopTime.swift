import FlowEngine
import FlowModel
import FlowSystem

extension RunSession {
  /// Reports the longest time to stop this run, if a step of another flowrun started this process: the stop times of
  /// its steps, then those of its cleanup steps, which are stopped in the same way.
  static func reportStopTime(of workflow: Workflow) {
    StopTime.report(workflow.stopTime(cleans: true) + margin, usual: workflow.stopTime())
  }

  /// The time for writing the results after all steps have ended.
  private static let margin = Duration.seconds(5)
}
