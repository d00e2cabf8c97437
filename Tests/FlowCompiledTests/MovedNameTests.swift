import BasicsPlugin
import FlowModel
import FlowPluginKit
import FlowSyntax
import Testing

@testable import FlowCompiled

/// If a plugin has renamed an action, an input or an output, the old name is an error that mentions the new one, both
/// in YAML and in compiled files.
struct MovedNameTests {
  private static let yaml = """
    name: moved
    events: { again: { repeats: true } }
    steps:
      keep: { uses: box.keep, with: { extra: true } }
      say: { uses: box.say, needs: keep }
      more: { uses: box.say, needs: keep }
      follow: { uses: flow.on, needs: keep, with: { event: again, action: box.say } }
    outputs: { said: "${{ steps.keep.outputs.said }}" }

    """

  private func load(_ bytes: [UInt8], _ plugin: any Plugin, _ file: String) -> LoadResult {
    WorkflowLoader(catalog: ActionRegistry([BasicsPlugin(), plugin])).load(bytes: bytes, file: file)
  }

  @Test func `errors for old names in a workflow mention the new names`() {
    let result = load(Array(Self.yaml.utf8), Box(), "moved.yaml")
    #expect(
      result.diagnostics.map { "\($0.code.rawValue): \($0.message); \($0.help ?? "")" } == [
        "unknown-input: 'box.keep' has no input 'extra'; it is now an input of 'tin.keep'",
        "unknown-action: step 'say' uses 'box.say', which is now 'tin.say'; write 'tin.say'",
        "unknown-action: step 'more' uses 'box.say', which is now 'tin.say'; write 'tin.say'",
        "unknown-action: step 'follow' calls 'box.say', which is now 'tin.say'; write 'tin.say'",
        "unknown-output: 'keep' has no output 'said'; it is now an output of 'tin.keep'",
      ])
    let corrections = result.diagnostics.compactMap(\.correction?.word)
    #expect(corrections == ["tin.say", "tin.say", "tin.say"])
  }

  @Test func `errors for old names in a compiled workflow mention the new names`() throws {
    let old = load(Array(Self.yaml.utf8), FormerBox(), "moved.yaml")
    let bytes = try #require(old.compiled, "\(old.rendered())").bytes
    let result = load(bytes, Box(), "moved.flow")
    #expect(result.graph == nil)
    #expect(
      result.diagnostics.map(\.message) == [
        "step 'keep' (moved.yaml:4) gives 'extra' to 'box.keep', which is now an input of 'tin.keep'",
        "step 'say' (moved.yaml:5) uses 'box.say', which is now 'tin.say'",
        "step 'follow' (moved.yaml:7) calls 'box.say', which is now 'tin.say'",
      ])
    #expect(load(bytes, FormerBox(), "moved.flow").graph != nil)
  }
}

private struct FormerBox: Plugin {
  static let name = "box"
  var actions: [any ActionType.Type] { [Say.self, Keep.self] }

  struct Say: Action {
    static let name = "box.say"
    static let summary = "Does nothing"
    func run(_ input: NoInput, in context: ActionContext) throws -> NoOutput { NoOutput() }
  }

  struct Keep: Action {
    static let name = "box.keep"
    static let summary = "Does nothing"
    struct Input: ActionInput {
      @Field("Anything") var extra = false
    }
    struct Output: ActionOutput {
      var said: String
      static let summaries = ["said": "Anything"]
    }
    func run(_ input: Input, in context: ActionContext) throws -> Output { Output(said: "") }
  }
}

private struct Box: Plugin {
  static let name = "box"
  var actions: [any ActionType.Type] { [Keep.self] }
  var details: PluginDetails {
    PluginDetails(movedNames: [
      "box.say": "tin.say", "box.keep.extra": "tin.keep.extra", "box.keep.said": "tin.keep.said",
    ])
  }

  struct Keep: Action {
    static let name = "box.keep"
    static let summary = "Does nothing"
    func run(_ input: NoInput, in context: ActionContext) throws -> NoOutput { NoOutput() }
  }
}
