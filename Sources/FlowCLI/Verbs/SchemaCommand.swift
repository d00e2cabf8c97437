import ArgumentParser
import FlowPluginKit
import FlowSyntax

/// `flowrun schema`: the JSON Schema of workflow files, for editors.
struct SchemaCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Prints the JSON Schema of workflow files, for editors.",
    discussion: """
      Keep it beside the workflows and name it in their first line:
      # yaml-language-server: $schema=workflow.schema.json
      """)

  func perform() async throws {
    StandardOutput.write(WorkflowSchema(catalogue: ActionRegistry(BuiltInPlugins.all)).text())
  }
}
