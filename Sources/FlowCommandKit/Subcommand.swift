import ArgumentParser
import FlowDiagnostics

/// A subcommand of the command line: what it throws becomes a message and the exit code that docs/reference.md lists.
package protocol Subcommand: AsyncParsableCommand {
  /// Does the work. Throws a ``CommandProblem``.
  func perform() async throws
}

extension Subcommand {
  /// Does the work and ends the process with the fitting code when it cannot be done.
  package func run() async throws {
    do {
      try await perform()
    } catch {
      try CommandProblems.tell(error)
    }
  }
}

/// Why a subcommand cannot do its work.
package protocol CommandProblem: Error {
  /// The text for standard error, with its line break; empty if it was written already.
  var message: String { get }
  /// How the process ends.
  var status: ExitStatus { get }
}

/// The one place where problems of subcommands become messages and exit codes.
package enum CommandProblems {
  /// Says why something cannot be done and ends the process with the fitting code; throws an error that is none of the
  /// subcommands'.
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
