import ArgumentParser
import FlowCommandKit
import FlowPluginKit

/// The command `flowrun`. Each subcommand of this module has a file in `Subcommands`; the others come from
/// ``CommandParts``.
public struct FlowCommand: AsyncParsableCommand {
  /// The configuration with the subcommands and the text of the help.
  public static let configuration = CommandConfiguration(
    commandName: "flowrun",
    abstract: "Runs workflows: steps with dependencies, deadlines and a launch gate.",
    discussion: """
      flowrun FILE is short for flowrun run FILE, and flowrun STEP runs a step of flowrun.yaml.
      Exit codes: 0 success or partial, 1 failure, 2 the workflow is invalid or cannot be read, 3 a budget is broken, \
      4 an export skipped something, 64 wrong usage, 74 output could not be written, 124 the gate timed out with --strict, \
      129, 130, 131 and 143 interrupted by a signal.
      Pages: \(pagesAddress). On this machine: man flowrun.
      """,
    version: Release.version,
    groupedSubcommands: [
      CommandGroup(
        name: "Run",
        subcommands: [
          RunCommand.self, ResumeCommand.self, CancelCommand.self, PostCommand.self, AnswerCommand.self,
        ]),
      CommandGroup(
        name: "Inspect",
        subcommands: [RunsCommand.self, LogsCommand.self] + CommandParts.current.subcommands(in: .inspect)
          + [GraphCommand.self]),
      CommandGroup(
        name: "Author",
        subcommands: [
          InitCommand.self, ValidateCommand.self, CompileCommand.self, EvalCommand.self, ExportCommand.self,
          SchemaCommand.self, VersionCommand.self, ManualCommand.self,
        ]),
      CommandGroup(
        name: "Plugins",
        subcommands: [PluginsCommand.self, CallCommand.self] + BuiltInPlugins.commands
          + CommandParts.current.subcommands(in: .plugins)),
      CommandGroup(name: "Servers", subcommands: [UICommand.self] + CommandParts.current.subcommands(in: .servers)),
    ],
    defaultSubcommand: RunCommand.self)

  /// The output of `flowrun` without arguments if there is no `flowrun.yaml`.
  static let shortHelp = """
    flowrun runs workflows written in YAML.

      flowrun init             create a first workflow, release.yaml
      flowrun FILE             run a workflow
      flowrun validate FILE    check a workflow without running it
      flowrun graph FILE       draw its steps
      flowrun runs             list past runs
      flowrun ui               show runs in the browser
      flowrun resume last      resume a failed or interrupted run
      flowrun plugins          list the actions that steps can use

    flowrun --help lists all subcommands, flowrun help SUBCOMMAND explains one.
    Pages: \(pagesAddress). On this machine: man flowrun.

    """

  private static let pagesAddress = "https://example.invalid/flowrun (a placeholder until the first release)"

  /// Creates the command without arguments.
  public init() {}
}
