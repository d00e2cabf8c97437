import FlowModel
import FlowPluginHost
import FlowSystem

extension SlurmEngine {
  /// The time limit for a single call to a command.
  private static let answerTime = Duration.seconds(10)

  /// Runs a command of Slurm and returns the lines of its standard output.
  ///
  /// - Parameter isPatient: If true, repeats the call, blocking the thread, while Slurm temporarily cannot answer.
  func ask(
    _ words: [String], _ environment: [String: String]? = nil, isPatient: Bool = false
  ) throws(ExecutorProblem) -> [String] {
    var pauses = GrowingPauses(limit: isPatient ? patience : .zero, from: .now)
    var isFirst = true
    while true {
      let answer = try run(words, environment ?? self.environment)
      if case .exited(code: 0) = answer.status {
        return answer.standardOutput.split(separator: "\n").map(String.init)
      }
      var problem = ExecutorProblem("Slurm cannot be reached: \(Self.refusal(words, answer))")
      problem.isPassing = answer.isKilled || SlurmAnswers.isPassing(answer.output)
      guard problem.isPassing, let next = pauses.next(at: .now) else { throw problem }
      if isFirst { tell("slurm: asked again: \(problem.message)") }
      isFirst = false
      pause(next)
    }
  }

  func run(_ words: [String], _ environment: [String: String]) throws(ExecutorProblem) -> FinishedProgram {
    do throws(SystemError) {
      return try FinishedProgram(
        PluginCommand(words, environment: environment), directory: "/", deadline: .now + Self.answerTime)
    } catch {
      throw ExecutorProblem("Slurm cannot be reached: \(error)")
    }
  }

  /// Returns the reason for the failure of a command: the last line of its output or, without output, its exit status.
  static func refusal(_ words: [String], _ answer: FinishedProgram) -> String {
    if answer.isKilled { return "'\(words[0])' did not answer within \(DurationText.format(answerTime))" }
    return lastLine(answer.output) ?? "'\(words[0])' \(answer.status)"
  }

  static func lastLine(_ text: String) -> String? { text.split(separator: "\n").last.map(String.init) }
}
