import ArgumentParser

/// Where plugins are looked for besides the usual places.
struct PluginArguments: ParsableArguments {
  @Option(
    name: .customLong("plugin-dir"), parsing: .singleValue,
    help: ArgumentHelp("An additional plugin, or a folder of plugins.", valueName: "FOLDER"))
  var folders: [String] = []
}
