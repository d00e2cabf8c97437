import ArgumentParser
import FlowDiagnostics

extension FlowCommand {
  /// Runs the command with the arguments of the process.
  ///
  /// Whatever is no verb is a workflow file; a word that is neither, but nearly a verb, gets that said.
  public static func start() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
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
