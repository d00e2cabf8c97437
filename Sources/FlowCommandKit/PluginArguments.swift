import ArgumentParser

/// The option that adds folders of plugins.
package struct PluginArguments: ParsableArguments {
  @Option(
    name: .customLong("plugin-dir"), parsing: .singleValue,
    help: ArgumentHelp("An additional plugin, or a folder of plugins.", valueName: "FOLDER"))
  package var folders: [String] = []

  package init() {}
}
