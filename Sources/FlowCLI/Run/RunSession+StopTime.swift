import FlowEngine
import FlowModel
import FlowSystem

extension RunSession {
  /// Reports the maximum time that it takes to stop this run, if a step of another flowrun has started this process. It
  /// is the sum of the stop times of steps and of cleanup steps.
  static func reportStopTime(of workflow: Workflow) {
    StopTime.report(workflow.stopTime(cleans: true) + margin, usual: workflow.stopTime())
  }

  /// The time reserved for writing the results after all steps have ended.
  private static let margin = Duration.seconds(5)
}
