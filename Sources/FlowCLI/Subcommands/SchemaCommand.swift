import ArgumentParser
import FlowCommandKit
import FlowSyntax

/// `flowrun schema` prints the JSON Schema of workflow files or of `plugin.yaml`, for editors.
struct SchemaCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Prints the JSON Schema of workflow files, or of plugin.yaml, for editors.",
    discussion: """
      Examples:
        flowrun schema > workflow.schema.json
        flowrun schema --plugin > plugin.schema.json
      Keep it next to the workflows and name it in their first line:
      # yaml-language-server: $schema=workflow.schema.json
      """)

  @Flag(help: "The schema of plugin.yaml instead.")
  var plugin = false

  @OptionGroup var plugins: PluginArguments

  func perform() async throws {
    if plugin { return StandardOutput.write(PluginSchema().text()) }
    let installation = try Installation(given: plugins.folders)
    installation.explainUnusable()
    StandardOutput.write(WorkflowSchema(catalog: installation.registry).text())
  }
}
