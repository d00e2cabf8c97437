import FlowDiagnostics
import FlowModel
import Testing

@testable import FlowSyntax

struct ManifestTests {
  static let codes: [DiagnosticCode] = [.unsupportedProtocol, .conflictingKeys]

  private func load(_ text: String) -> PluginManifestLoader.Result {
    PluginManifestLoader().load(bytes: Array(text.utf8), file: "plugin.yaml")
  }

  @Test func `a manifest is parsed into the declarations of its actions`() throws {
    let result = load(
      """
      name: shout
      version: 1.0.0
      protocol: 1
      command: [python3, plugin.py]
      env: [HOME, LANG]
      actions:
        shout.text:
          summary: Turns text into upper case
          inputs: { text: { type: string, required: true, description: What to shout } }
          outputs: { text: { type: string } }
          events: []
          service: false
          protected-data: false
          retryable: true
          errors: { too-quiet: { summary: There was nothing to shout, retryable: false } }
      """)
    #expect(result.rendered() == "")
    let manifest = try #require(result.manifest)
    #expect(manifest.name == "shout")
    #expect(manifest.version == "1.0.0")
    #expect(manifest.program == .command(["python3", "plugin.py"]))
    #expect(manifest.environment == ["HOME", "LANG"])
    #expect(manifest.actions.map(\.isRetryable) == [true])
    #expect(
      manifest.actions.map(\.declaration) == [
        ActionDeclaration(
          name: "shout.text", summary: "Turns text into upper case",
          inputs: [FieldDeclaration("text", .string, summary: "What to shout")],
          outputs: [FieldDeclaration("text", .string)],
          errors: [ErrorDeclaration("too-quiet", "There was nothing to shout", isRetryable: false)],
          example: "uses: shout.text", origin: "plugin.yaml")
      ])
    #expect(result.source.text(of: result.nameSpan) == "shout")
    #expect(result.actionSpans["shout.text"].map(result.source.text) == "shout.text")
  }

  @Test func `all mistakes in a manifest are reported at once`() {
    let result = load(
      """
      name: Shout
      version: 1.0
      protocol: 2
      command: [python3]
      source: main.swift
      actions:
        shout.text: { inputs: { text: { type: strng } } }
      """)
    #expect(result.manifest == nil)
    #expect(
      result.rendered() == """
        plugin.yaml:1:7: error: 'Shout' cannot be a name here [invalid-name]
           |
         1 | name: Shout
           |       ^^^^^
           = help: a name is lower-case letters and digits, separated by single '-', beginning with a letter

        plugin.yaml:2:10: error: version must be a string, found the number 1.0 [wrong-type]
           |
         2 | version: 1.0
           |          ^^^
           = help: write it in quotes: "1.0"

        plugin.yaml:3:11: error: this flowrun does not speak protocol 2 [unsupported-protocol]
           |
         3 | protocol: 2
           |           ^
           = help: it speaks protocol 1

        plugin.yaml:5:1: error: a manifest has 'command' or 'source', not both [conflicting-keys]
           |
         4 | command: [python3]
           | ------- the command is here
         5 | source: main.swift
           | ^^^^^^

        plugin.yaml:7:3: error: action 'shout.text' lacks the key 'summary' [missing-key]
           |
         7 |   shout.text: { inputs: { text: { type: strng } } }
           |   ^^^^^^^^^^
           = help: 'summary': What the action does, in a sentence

        plugin.yaml:7:41: error: inputs.text.type cannot be 'strng'; it is one of 'string', 'boolean', 'integer', 'number', 'duration', 'path', 'array', 'object', 'any' [unknown-value]
           |
         7 |   shout.text: { inputs: { text: { type: strng } } }
           |                                         ^^^^^
           = help: did you mean 'string'?

        """)
  }
}
