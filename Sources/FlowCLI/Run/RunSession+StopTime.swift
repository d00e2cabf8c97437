import FlowEngine
import FlowModel
import FlowSystem

extension RunSession {
  /// Reports the maximum time that stopping the run may take, if this flowrun was started by a step of another one: the
  /// stop times of its steps, then those of cleanup steps, whose commands are stopped in the same way.
  static func reportStopTime(of workflow: Workflow) {
    StopTime.report(workflow.stopTime(cleans: true) + margin, usual: workflow.stopTime())
  }

  /// The time for writing results at the end.
  private static let margin = Duration.seconds(5)
}
