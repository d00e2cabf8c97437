import FlowModel

/// The JSON Schema (draft 07) of `plugin.yaml`, for editors. It is created from the tables of keys that the loader
/// uses.
package struct PluginSchema: Sendable {
  package init() {}

  /// Returns the schema as a JSON value.
  package func json() -> Value {
    var schema: ValueObject = [
      "$schema": "http://json-schema.org/draft-07/schema#",
      "title": "A plugin of flowrun",
    ]
    for (key, value) in WorkflowSchema.map(of: ManifestKey.self) { schema[key] = value }
    schema["anyOf"] = [
      ["required": ["command", "actions"]], ["required": ["source", "actions"]],
      // A plugin that only provides an executor needs no program for actions.
      [
        "required": ["executor"],
        "not": ["anyOf": [["required": ["command"]], ["required": ["source"]], ["required": ["actions"]]]],
      ],
    ]
    schema["not"] = ["required": ["command", "source"]]
    schema["definitions"] = WorkflowSchema.fieldDefinitions
    return .object(schema)
  }

  /// The schema as indented JSON that ends with a line break.
  package func text() -> String { JSONText.write(json(), layout: .indented) + "\n" }
}
