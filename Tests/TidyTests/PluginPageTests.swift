import Foundation
import TestSupport
import Testing

/// Tests the page about writing a plugin. Its code blocks are used as a reader would use them.
@Suite(.timeLimit(.minutes(10))) struct PluginPageTests {
  @Test func `the code blocks on the page about writing a plugin work`() throws {
    let blocks = try Block.all(in: Repository.text("plugins/README.md"))
    func texts(_ language: String) -> [String] { blocks.filter { $0.language == language }.map(\.text) }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("page-\(UInt64.random(in: 0 ... .max))")
    let git = folder.appendingPathComponent(".git")
    try FileManager.default.createDirectory(
      at: git, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    defer { try? FileManager.default.removeItem(at: folder) }
    func flowrun(_ arguments: String...) throws -> FlowrunProcess.Result {
      try FlowrunProcess.run(arguments, in: folder.path)
    }
    func write(_ text: String, to file: String) throws {
      try text.write(to: folder.appendingPathComponent(file), atomically: true, encoding: .utf8)
    }

    let console = try #require(texts("console").first)
    let written = try flowrun("plugins", "new", "shout", "--language", "python")
    for line in written.output.split(separator: "\n") where line.hasPrefix("wrote") { #expect(console.contains(line)) }
    #expect(try flowrun("plugins", "check", "plugins/shout").exitCode == 0)
    #expect(console.contains(try flowrun("call", "shout.text", "--with", #"{"text": "hello"}"#).output))
    // The first YAML block is a workflow and the second one a manifest. The JSON block contains test cases.
    let yaml = texts("yaml")
    try write(yaml[0], to: "hello.yaml")
    let run = try flowrun("hello.yaml")
    #expect(run.exitCode == 0 && run.output.contains("said: GOOD MORNING!"), "\(run.output)\(run.errors)")
    try write(yaml[1], to: "plugins/shout/plugin.yaml")
    try write(texts("json")[0], to: "plugins/shout/cases.jsonl")
    let check = try flowrun("plugins", "check", "plugins/shout")
    #expect(check.exitCode == 0, "\(check.output)\(check.errors)")
  }

  @Test func `every workflow on a plugin's page is valid`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pages-\(UInt64.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var names: [String] = []
    for page in Repository.files(below: "plugins", ending: "/README.md") {
      for block in try Block.all(in: Repository.text(page)) where block.language == "yaml" {
        guard block.text.contains("\nsteps:\n") else { continue }
        let name = page.replacing("/", with: "-") + "-\(names.count).yaml"
        try block.text.write(to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
        names.append(name)
      }
    }
    #expect(names.count >= 8)
    let examples = Repository.root.appendingPathComponent("plugins/examples").path
    let result = try FlowrunProcess.run(["validate", "--plugin-dir", examples] + names, in: folder.path)
    #expect(result.exitCode == 0, "\(result.output)\(result.errors)")
  }
}
