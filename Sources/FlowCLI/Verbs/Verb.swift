import ArgumentParser

/// A verb of the command line: what it throws becomes a message and the exit code that the README lists.
protocol Verb: AsyncParsableCommand {
  /// Does the work. Throws a ``UsageProblem``, an ``InvalidWorkflow`` or a ``FileProblem``.
  func perform() async throws
}

extension Verb {
  /// Does the work and ends the process with the fitting code when it cannot be done.
  func run() async throws {
    do {
      try await perform()
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
