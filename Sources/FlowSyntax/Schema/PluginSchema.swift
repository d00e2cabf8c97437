import FlowModel

/// The JSON Schema (draft 07) of `plugin.yaml` for editors, created from the key tables that the loader uses.
package struct PluginSchema: Sendable {
  /// Creates the schema.
  package init() {}

  /// The schema as JSON.
  package func json() -> Value {
    var schema: ValueObject = [
      "$schema": "http://json-schema.org/draft-07/schema#",
      "title": "A plugin of flowrun",
    ]
    for (key, value) in WorkflowSchema.map(of: ManifestKey.self) { schema[key] = value }
    schema["anyOf"] = [["required": ["command"]], ["required": ["source"]]]
    schema["not"] = ["required": ["command", "source"]]
    schema["definitions"] = WorkflowSchema.fieldDefinitions
    return .object(schema)
  }

  /// The schema as indented JSON with a line break at the end.
  package func text() -> String { JSONText.write(json(), layout: .indented) + "\n" }
}
