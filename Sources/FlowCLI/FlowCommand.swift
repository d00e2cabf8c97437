import ArgumentParser
import FlowPluginKit

/// The command `flowrun`; each subcommand is a file under `Subcommands`.
public struct FlowCommand: AsyncParsableCommand {
  /// Subcommands, help and exit codes.
  public static let configuration = CommandConfiguration(
    commandName: "flowrun",
    abstract: "Runs workflows: steps with dependencies, deadlines and a launch gate.",
    discussion: """
      flowrun FILE is short for flowrun run FILE.
      Exit codes: 0 success or partial, 1 failure, 2 the workflow is invalid or cannot be read, 3 a budget is broken, \
      4 an export left something out, 64 wrong usage, \
      74 output could not be written, 124 the gate timed out and --strict was given, 129, 130, 131 and 143 \
      interrupted.
      """,
    version: Release.version,
    subcommands: [
      RunCommand.self, ResumeCommand.self, RunsCommand.self, LogsCommand.self, CancelCommand.self, PostCommand.self,
      AnswerCommand.self,
      ValidateCommand.self, GraphCommand.self, SimulateCommand.self, AnalyzeCommand.self,
      CompareCommand.self, ExportCommand.self, PluginsCommand.self, CallCommand.self,
      EvalCommand.self, SchemaCommand.self, SyncCommand.self, RoutesCommand.self,
      NotificationsCommand.self, LSPCommand.self, WorkerCommand.self, VersionCommand.self,
      ManualCommand.self,
    ],
    defaultSubcommand: RunCommand.self)

  /// The command without arguments.
  public init() {}
}
