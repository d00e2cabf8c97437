import ArgumentParser
import FlowDiagnostics
import FlowStore

/// A subcommand of the command line: what it throws becomes a message and the exit code that docs/reference.md lists.
protocol Subcommand: AsyncParsableCommand {
  /// Does the work. Throws a ``UsageProblem``, an ``InvalidWorkflow`` or a ``FileProblem``.
  func perform() async throws
}

extension Subcommand {
  /// Does the work and ends the process with the fitting code when it cannot be done.
  func run() async throws {
    do {
      try await perform()
    } catch {
      try SubcommandProblems.tell(error)
    }
  }
}

/// The one place where problems of subcommands become messages and exit codes.
enum SubcommandProblems {
  /// Says why something cannot be done and ends the process with the fitting code; throws an error that is none of the
  /// subcommands'.
  static func tell(_ error: any Error) throws {
    switch error {
    case let problem as UsageProblem:
      StandardOutput.writeError("flowrun: \(TerminalText.visible(problem.description))\n")
      ExitStatus.usage.exit()
    case let problem as InvalidWorkflow:
      StandardOutput.writeError(problem.description)
      ExitStatus.invalidWorkflow.exit()
    case let problem as FileProblem:
      StandardOutput.writeError("flowrun: cannot \(problem.purpose.rawValue) \(problem)\n")
      (problem.purpose == .read ? ExitStatus.invalidWorkflow : .outputFailed).exit()
    case let problem as RunProblem:
      StandardOutput.writeError("flowrun: \(TerminalText.visible(problem.description))\n")
      ExitStatus.failure.exit()
    case let problem as StoreProblem:
      StandardOutput.writeError("flowrun: \(TerminalText.visible(problem.description + remedy(for: problem)))\n")
      status(of: problem).exit()
    default: throw error
    }
  }

  /// What to do about it, where the problem does not say.
  private static func remedy(for problem: StoreProblem) -> String {
    guard case .damaged = problem else { return "" }
    return "; flowrun runs delete deletes a damaged run, and the next run moves a damaged store aside"
  }

  private static func status(of problem: StoreProblem) -> ExitStatus {
    switch problem {
    case .unknown: .usage
    case .held, .fenced, .moved: .failure
    case .unusable, .damaged, .newer, .elsewhere: .invalidWorkflow
    }
  }
}
