import ArgumentParser

/// Where plugins are looked for besides the usual places.
struct PluginArguments: ParsableArguments {
  @Option(
    name: .customLong("plugin-dir"), parsing: .singleValue,
    help: "A plugin, or a folder of plugins, besides those around the workflow.")
  var folders: [String] = []
}
