import FlowModel
import FlowSyntax

extension SlurmEngine {
  /// Returns Slurm's configuration, with each line split into words, such as `KillWait`, `30` and `sec`.
  func configuration() throws(ExecutorProblem) -> [[String]] {
    try ask(["scontrol", "show", "config"], isPatient: true).map { line in
      line.split(whereSeparator: { " =,".contains($0) }).map(String.init)
    }
  }

  /// Returns a warning if some commands may need more time to stop than Slurm grants (`KillWait`) when it ends a job.
  /// Returns nil if all have enough time or the configuration has no `KillWait`.
  ///
  /// - Parameter stopTimes: The times that steps grant to their commands.
  func killWaitWarning(for stopTimes: [(step: StepID, time: Duration)]) throws(ExecutorProblem) -> String? {
    if stopTimes.isEmpty { return nil }
    let line = try configuration().first { $0.first == "KillWait" }
    guard let line, line.count > 1, let seconds = Int(line[1]) else { return nil }
    let left = Duration.seconds(seconds)
    let long = stopTimes.filter { $0.time > left }
    guard let longest = long.max(by: { $0.time < $1.time }) else { return nil }
    let others =
      switch long.count {
      case 1: ""
      case 2: "; so does another step"
      default: "; so do \(long.count - 1) other steps"
      }
    let (time, killWait) = (DurationText.format(longest.time), DurationText.format(left))
    return "slurm: step '\(longest.step)' has \(time) to stop ('within'), but commands in a job that Slurm itself ends "
      + "have only \(killWait) (KillWait)\(others)"
  }
}
