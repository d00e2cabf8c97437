import ArgumentParser
import FlowModel
import FlowPluginKit

/// `flowrun plugins`: what is installed.
struct PluginsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plugins", abstract: "Lists the plugins and their actions.",
    subcommands: [List.self, Show.self], defaultSubcommand: List.self)

  /// `flowrun plugins`: every plugin with its actions.
  struct List: Verb {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Lists the plugins and their actions (the default).")

    func perform() async throws {
      let registry = ActionRegistry(BuiltInPlugins.all)
      let style = TextStyle(isColored: StandardOutput.isTerminal && Environment.allowsColor)
      let width = registry.declarations.map(\.name.count).max() ?? 0
      var text = ""
      for plugin in registry.plugins {
        text += "\(style.bold(plugin.name))  \(style.dim(plugin.origin))\n"
        for declaration in registry.declarations where declaration.pluginName == plugin.name {
          text += "  \(declaration.name.padded(to: width))  \(declaration.summary)\n"
        }
      }
      StandardOutput.write(text)
    }
  }

  /// `flowrun plugins show ACTION`: all there is to know of an action.
  struct Show: Verb {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Shows an action's inputs, outputs, events, errors and an example.")

    @Argument(help: "The action, such as flow.sleep.")
    var action: String

    func perform() async throws {
      let registry = ActionRegistry(BuiltInPlugins.all)
      let declaration = try ActionName.find(action, in: registry).declaration
      let style = TextStyle(isColored: StandardOutput.isTerminal && Environment.allowsColor)
      StandardOutput.write(ActionPage(declaration: declaration, style: style).text)
    }
  }
}
