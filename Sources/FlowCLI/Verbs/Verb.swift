import ArgumentParser

/// A verb of the command line: what it throws becomes a message and the exit code that the README lists.
protocol Verb: AsyncParsableCommand {
  /// Does the work. Throws a ``UsageProblem``, an ``InvalidWorkflow`` or a ``FileProblem``.
  func perform() async throws
}

extension Verb {
  /// Does the work and ends the process with the fitting code when it cannot be done.
  func run() async throws { try await VerbProblems.told { try await perform() } }
}

/// The one place where problems of verbs become messages and exit codes.
enum VerbProblems {
  /// Does `work`; when it cannot be done, says why and ends the process with the fitting code.
  static func told(_ work: () async throws -> Void) async throws {
    do {
      try await work()
    } catch let problem as UsageProblem {
      StandardOutput.writeError("flowrun: \(problem)\n")
      ExitStatus.usage.exit()
    } catch let problem as InvalidWorkflow {
      StandardOutput.writeError(problem.description)
      ExitStatus.invalidWorkflow.exit()
    } catch let problem as FileProblem {
      StandardOutput.writeError("flowrun: cannot read \(problem)\n")
      ExitStatus.invalidWorkflow.exit()
    }
  }
}
