import ArgumentParser
import FlowSyntax

/// `flowrun schema`: the JSON Schema of workflow files, for editors.
struct SchemaCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Prints the JSON Schema of workflow files, for editors.",
    discussion: """
      Keep it beside the workflows and name it in their first line:
      # yaml-language-server: $schema=workflow.schema.json
      """)

  @OptionGroup var plugins: PluginArguments

  func perform() async throws {
    let installation = try Installation(given: plugins)
    installation.explainUnusable()
    StandardOutput.write(WorkflowSchema(catalogue: installation.registry).text())
  }
}
