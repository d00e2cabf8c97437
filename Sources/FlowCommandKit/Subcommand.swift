import ArgumentParser
import FlowDiagnostics

/// A subcommand of the command line. An error that it throws is printed and determines the exit code; docs/reference.md
/// lists the codes.
package protocol Subcommand: AsyncParsableCommand {
  /// Runs the subcommand. Throws a ``CommandProblem``.
  func perform() async throws
}

extension Subcommand {
  /// Runs the subcommand. After an error, it ends the process with the error's exit code.
  package func run() async throws {
    do {
      try await perform()
    } catch {
      try CommandProblems.tell(error)
    }
  }
}

/// An error of a subcommand.
package protocol CommandProblem: Error {
  /// The text for standard error, including its line break; empty if it has already been written.
  var message: String { get }
  /// The exit code of the process.
  var status: ExitStatus { get }
}

/// Prints errors of subcommands and ends the process with their exit codes.
package enum CommandProblems {
  /// Prints the error and ends the process with its exit code. Rethrows an error that is not a ``CommandProblem``.
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
