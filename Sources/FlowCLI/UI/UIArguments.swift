import ArgumentParser
import FlowCommandKit

/// The arguments of `flowrun ui` and `flowrun-ui`.
package struct UIArguments: ParsableArguments {
  @Argument(
    help: ArgumentHelp("The folder of the workflows; folders below it are included.", valueName: "FOLDER"),
    completion: .directory)
  package var folder = "."

  @Option(
    help: ArgumentHelp(
      "The database that stores the runs, as postgres://USER@HOST/NAME; default: files next to the workflows.",
      valueName: "URL"))
  package var store: String?

  @Option(help: ArgumentHelp("The port; 0 takes a free one.", valueName: "PORT"))
  package var port = 8470

  @Flag(help: "Opens the page in the browser.")
  package var open = false

  @Flag(help: "Shows runs, and starts and changes none.")
  package var readOnly = false

  @Option(help: ArgumentHelp("The address to listen on; others than loopback need --token-file.", valueName: "HOST"))
  package var listen = "127.0.0.1"

  @Option(
    help: ArgumentHelp(
      "A file with the token of the link, 16 characters or more; default: a random one.", valueName: "FILE"),
    completion: .file())
  package var tokenFile: String?

  @Option(
    help: ArgumentHelp("The address that browsers use where a reverse proxy is in front.", valueName: "URL"))
  package var publicURL: String?

  @OptionGroup var plugins: PluginArguments

  /// The plugin folders that the command line names.
  package var pluginFolders: [String] { plugins.folders }

  package init() {}
}
