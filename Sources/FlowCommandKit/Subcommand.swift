import ArgumentParser
import FlowDiagnostics

/// A subcommand. If it throws an error, the error is printed and determines the exit code. docs/reference.md lists the
/// exit codes.
package protocol Subcommand: AsyncParsableCommand {
  /// Runs the subcommand. Throws a ``CommandProblem`` if it fails.
  func perform() async throws
}

extension Subcommand {
  /// Runs the subcommand. If it throws a ``CommandProblem``, prints the error and ends the process with the error's
  /// exit code. Other errors are thrown again.
  package func run() async throws {
    do {
      try await perform()
    } catch {
      try CommandProblems.tell(error)
    }
  }
}

/// An error with a message and an exit code.
package protocol CommandProblem: Error {
  /// The text for standard error, including a line break. Empty if the problem has already been reported.
  var message: String { get }
  /// The exit code of the process.
  var status: ExitStatus { get }
}

/// Prints the errors of subcommands and exits with their codes.
package enum CommandProblems {
  /// Prints the error and ends the process with the error's exit code. If the error is not a ``CommandProblem``, throws
  /// it again.
  package static func tell(_ error: any Error) throws {
    guard let problem = error as? any CommandProblem else { throw error }
    StandardOutput.writeError(problem.message)
    problem.status.exit()
  }
}

extension UsageProblem: CommandProblem {
  package var message: String { "flowrun: \(TerminalText.visible(description))\n" }
  package var status: ExitStatus { .usage }
}

extension InvalidWorkflow: CommandProblem {
  package var message: String { description }
  package var status: ExitStatus { .invalidWorkflow }
}

extension FileProblem: CommandProblem {
  package var message: String { "flowrun: cannot \(purpose.rawValue) \(self)\n" }
  package var status: ExitStatus { purpose == .read ? .invalidWorkflow : .outputFailed }
}
