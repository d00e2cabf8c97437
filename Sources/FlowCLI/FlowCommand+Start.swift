import ArgumentParser
import FlowDiagnostics

extension FlowCommand {
  /// Runs the command with the arguments of the process.
  ///
  /// Whatever is no verb is a workflow file; a word that is neither, but nearly a verb, gets that said.
  public static func start() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    // Nothing but a file: no need to work out by reflection what the verbs take, which is half of a start.
    if arguments.count == 1, let file = arguments.first, !file.hasPrefix("-"), file.contains(".") {
      do {
        try await VerbProblems.told { try await RunSession(RunRequest(file: file)).run() }
      } catch {
        exit(withError: error)
      }
      return
    }
    if let first = arguments.first, !first.hasPrefix("-"), !verbs.contains(first), !FileAccess.exists(first),
      let question = NearestName.question(first, among: verbs)
    {
      StandardOutput.writeError("flowrun: '\(first)' is neither a verb nor a file; \(question)\n")
      ExitStatus.usage.exit()
    }
    await main(arguments)
  }

  private static var verbs: [String] {
    configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
  }
}
