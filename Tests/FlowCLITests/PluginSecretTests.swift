import TestSupport
import Testing

/// Secrets that are passed to plugins by name, in each language that has a template.
@Suite(.timeLimit(.minutes(10))) struct `A secret passed by name` {
  private static let secret = "hunter2-and-a-half"

  /// For each language, changes that make a new plugin use the secret and print it in its log and its output.
  private static let changes: [String: (file: String, changes: [(String, String)])] = [
    "swift": (
      "main.swift",
      [
        ("input.text.isEmpty", #"input.text != "hunter2-and-a-half""#), (#""saying it louder""#, "input.text"),
        ("input.text.uppercased()", "input.text"),
      ]
    ),
    "python": (
      "plugin.py",
      [
        ("not text", #"text != "hunter2-and-a-half""#), (#""saying it louder""#, "text"), ("text.upper()", "text"),
      ]
    ),
    "node": (
      "plugin.js",
      [
        ("!text", #"text !== "hunter2-and-a-half""#), (#""saying it louder""#, "text"), ("text.toUpperCase()", "text"),
      ]
    ),
    "sh": (
      "plugin.sh",
      [(#"[ -n "$value" ]"#, #"[ "$value" = hunter2-and-a-half ]"#), (#""saying it louder""#, #""$value""#)]
    ),
  ]

  /// Compiling the plugin in Swift takes a long time, so only full test runs do it.
  @Test(arguments: ["python", "node", "sh"] + (TestExtent.isFull ? ["swift"] : []))
  func `a secret is passed to the plugin's program and never shown`(language: String) throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    #expect(try tool.run("plugins", "new", "teller", "--language", language).exitCode == 0)
    let change = try #require(Self.changes[language])
    var program = try tool.text(of: "plugins/teller/\(change.file)")
    for (old, new) in change.changes {
      #expect(program.contains(old))
      program = program.replacing(old, with: new)
    }
    try tool.write(program, to: "plugins/teller/\(change.file)")
    let manifest = try tool.text(of: "plugins/teller/plugin.yaml")
    let declared = manifest.replacing("description: What to say }", with: "description: What to say, secret: true }")
    #expect(declared != manifest)
    try tool.write(declared, to: "plugins/teller/plugin.yaml")
    try tool.write(Self.secret + "\n", to: "key")
    try tool.write(
      """
      name: told
      secrets: { key: { file: key } }
      steps: { tell: { uses: teller.text, with: { text: "${{ secrets.key }}" } } }
      outputs: { text: "${{ steps.tell.outputs.text }}" }
      """, to: "told.yaml")
    let run = try tool.run("told.yaml", "--report", "report.json", "--json")
    #expect(run.exitCode == 0, "\(run)")
    let recorded = try tool.run("runs", "show", "last", "--log", "--json")
    for shown in [run.standardOutput, run.standardError, try tool.text(of: "report.json"), recorded.standardOutput] {
      #expect(!shown.contains(Self.secret), "\(shown)")
    }
    #expect(run.standardOutput.contains(#""message":"***""#), "\(run)")
    #expect(try tool.text(of: "report.json").contains(#""***!""#))
    // An input that is not declared as secret rejects a secret.
    try tool.write(manifest, to: "plugins/teller/plugin.yaml")
    let refused = try tool.run("validate", "told.yaml")
    #expect(refused.exitCode == 2 && refused.standardOutput.contains("secret-exposed"), "\(refused)")
  }
}
