import ArgumentParser

/// Where plugins are looked for besides the usual places.
package struct PluginArguments: ParsableArguments {
  @Option(
    name: .customLong("plugin-dir"), parsing: .singleValue,
    help: ArgumentHelp("An additional plugin, or a folder of plugins.", valueName: "FOLDER"))
  package var folders: [String] = []

  /// Only the usual places.
  package init() {}
}
