import ArgumentParser
import FlowCommandKit
import FlowDiagnostics
import FlowModel
import FlowPluginKit
import FlowSyntax

/// `flowrun plugins` lists the installed plugins. Its subcommands describe, create and check plugins.
struct PluginsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plugins", abstract: "Lists the plugins and their actions; creates and checks plugins.",
    discussion: """
      Examples:
        flowrun plugins show flow.sleep
        flowrun plugins new shout --language python
        flowrun plugins check plugins/shout
      """,
    subcommands: [List.self, Show.self, PluginsNewCommand.self, PluginsCheckCommand.self], defaultSubcommand: List.self)

  /// `flowrun plugins list` lists all plugins with their actions.
  struct List: Subcommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Lists the plugins and their actions (the default).",
      discussion: "Exit code 2 when a plugin was found that cannot be used; the reason goes to standard error.")

    @OptionGroup var plugins: PluginArguments

    func perform() async throws {
      let installation = try Installation(given: plugins.folders)
      let registry = installation.registry
      let style = TextStyle(isColored: StandardOutput.allowsColor)
      let width = registry.declarations.map(\.name.count).max() ?? 0
      var text = ""
      for plugin in registry.plugins {
        text += "\(style.bold(plugin.name))  \(style.dim(TerminalText.visible(plugin.origin)))\n"
        for declaration in registry.declarations where declaration.pluginName == plugin.name {
          text += "  \(declaration.name.padded(to: width))  \(TerminalText.visible(declaration.summary))\n"
        }
      }
      StandardOutput.write(text)
      installation.explainUnusable()
      let areProgramsUsable = installation.explainProgramProblems()
      if !installation.unusable.isEmpty || !areProgramsUsable { ExitStatus.invalidWorkflow.exit() }
    }
  }

  /// `flowrun plugins show ACTION` describes an action, or all actions of a plugin.
  struct Show: Subcommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Shows an action's inputs, outputs, events, errors and an example.",
      discussion: """
        Examples:
          flowrun plugins show flow.sleep
          flowrun plugins show storage
        """)

    @Argument(
      help: ArgumentHelp("The action, such as flow.sleep, or a plugin for all of its actions.", valueName: "ACTION"),
      completion: Completions.actionsAndPlugins)
    var action: String

    @OptionGroup var plugins: PluginArguments

    func perform() async throws {
      let installation = try Installation(given: plugins.folders)
      let registry = installation.registry
      var shown = registry.plugins.contains { $0.name == action } ? registry.declarations : []
      shown.removeAll { $0.pluginName != action }
      if shown.isEmpty {
        if registry.action(named: action) == nil { installation.explainUnusable() }
        shown = [try ActionName.find(action, in: registry).declaration]
      }
      let style = TextStyle(isColored: StandardOutput.allowsColor)
      StandardOutput.write(shown.map { ActionPage(declaration: $0, style: style).text }.joined(separator: "\n"))
      if let plugin = installation.external.first(where: { $0.origin == shown[0].origin }),
        let problem = plugin.programProblem()
      {
        StandardOutput.writeError(DiagnosticReport([problem]).text(usesColor: StandardOutput.errorAllowsColor))
      }
    }
  }
}
