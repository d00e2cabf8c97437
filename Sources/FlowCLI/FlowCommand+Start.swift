import ArgumentParser
import FlowDiagnostics
import FlowEngine

extension FlowCommand {
  /// Runs the command with the arguments of the process.
  ///
  /// Whatever is no verb is a workflow file; a word that is neither, but nearly a verb, gets that said.
  public static func start() -> Never {
    Interrupts.take()
    let arguments = Array(CommandLine.arguments.dropFirst())
    // Neither the argument parser nor a task: both take longer than the rest of a start.
    if let request = PlainRunArguments.request(arguments) {
      RunSession.start(request)
      MainThread.serve()
    }
    if let first = arguments.first, !first.hasPrefix("-"), !verbs.contains(first), !FileAccess.exists(first),
      let question = NearestName.question(first, among: verbs)
    {
      StandardOutput.writeError("flowrun: '\(first)' is neither a verb nor a file; \(question)\n")
      ExitStatus.usage.exit()
    }
    Task {
      await main(arguments)
      ExitStatus.success.exit()
    }
    MainThread.serve()
  }

  /// Says why something cannot be done and ends the process with the fitting code.
  static func tell(_ error: any Error) -> Never {
    do {
      try VerbProblems.tell(error)
    } catch {}
    exit(withError: error)
  }

  private static var verbs: [String] {
    configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
  }
}
