/// The template of a new plugin with test cases. `flowrun plugins new` uses it.
public struct PluginTemplate: Sendable {
  /// The languages for which there is a template.
  public enum Language: String, Sendable, CaseIterable {
    case swift, python, node, sh
  }

  /// The name of the plugin, which is also the name of its folder.
  public let name: String
  /// The language in which the plugin is written.
  public let language: Language

  /// Creates a template. Returns nil if the name is invalid. A name consists of at most 64 lowercase letters, digits
  /// and single hyphens, and begins with a letter.
  public init?(name: String, language: Language) {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    let isName =
      name.utf8.first.map { $0 >= UInt8(ascii: "a") } ?? false
      && name.utf8.count <= 64
      && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(Self.isWordByte) }
    guard isName else { return nil }
    self.name = name
    self.language = language
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// The content of each of the plugin's files, by file name.
  public var files: [String: String] {
    var files = ["plugin.yaml": Self.manifest(program), "cases.jsonl": cases]
    switch language {
    case .swift: files.merge(Self.swiftFiles) { $1 }
    case .python: files.merge(Self.pythonFiles) { $1 }
    case .node: files.merge(Self.nodeFiles) { $1 }
    case .sh: files.merge(Self.shellFiles) { $1 }
    }
    return files.mapValues { text in
      text.split(separator: "NAME", omittingEmptySubsequences: false).joined(separator: name)
    }
  }

  private var program: String {
    switch language {
    case .swift: "source: main.swift                      # compiled by flowrun, again when a .swift file here changes"
    case .python: "command: [python3, plugin.py]"
    case .node: "command: [node, plugin.js]"
    case .sh: "command: [sh, plugin.sh]"
    }
  }

  private static func manifest(_ program: String) -> String {
    """
    name: NAME
    version: 1.0.0
    protocol: 1
    description: What this plugin is for, in a sentence
    \(program)
    env: []                                 # what the program may see of the environment besides PATH
    actions:
      NAME.text:
        summary: Says a text louder
        inputs:
          text: { type: string, description: What to say }
        outputs:
          text: { type: string, description: "The text, said louder" }
        events: []                          # what it may post
        errors:
          nothing-to-say: { summary: The text is empty, retryable: false }
        example: |
          uses: NAME.text
          with: { text: hello }

    """
  }

  /// Calls with their expected results. `flowrun plugins check` makes these calls.
  private var cases: String {
    let louder = language == .sh ? "hello!" : "HELLO!"
    return """
      {"action": "NAME.text", "with": {"text": "hello"}, "outputs": {"text": "\(louder)"}}
      {"action": "NAME.text", "with": {"text": ""}, "error": "nothing-to-say"}

      """
  }
}
