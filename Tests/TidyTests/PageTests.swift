import Foundation
import TestSupport
import Testing

/// Tests the two READMEs, the index of the pages, and pages that contain lists.
@Suite(.timeLimit(.minutes(10))) struct PageTests {
  // MARK: README

  @Test(arguments: ["README.md", "README.zh-Hans.md"])
  func `each README has at most 120 lines, 100 characters per line and 1,500 words`(page: String) throws {
    let text = try Repository.text(page)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    #expect(lines.count <= 120)
    for line in lines { #expect(line.count <= 100, "\(line)") }
    #expect(text.split { $0 == " " || $0 == "\n" }.count <= 1500)
  }

  @Test func `the Chinese README has the same structure, commands and links as the English one`() throws {
    let english = try Outline(of: Repository.text("README.md"))
    let chinese = try Outline(of: Repository.text("README.zh-Hans.md"))
    #expect(english.lines == chinese.lines)
    #expect(english.blocks == chinese.blocks)
    #expect(english.code == chinese.code)
    #expect(english.links == chinese.links)
  }

  /// The parts of a page that must be equal in both languages.
  private struct Outline {
    /// The markers at the start of lines: headings, list items, numbered steps and table rows.
    var lines: [String] = []
    var blocks: [String] = []
    /// The texts between backticks. They are sorted, because their order depends on the language.
    var code: [String] = []
    var links: [String] = []

    init(of text: String) throws {
      var blocks: [String]?
      for line in text.split(separator: "\n") {
        if line.hasPrefix("```") {
          if let block = blocks {
            self.blocks.append(block.joined(separator: "\n"))
            blocks = nil
          } else {
            blocks = [String(line)]
          }
        } else if blocks != nil {
          blocks?.append(String(line))
        } else {
          if let mark = line.firstMatch(of: #/^(?:#+|-|\||\*\*[0-9]\.) /#) { lines.append(String(mark.output)) }
          code += line.matches(of: /`[^`]+`/).map { String($0.output) }
          links += line.matches(of: /\]\(([^)]+)\)/).map { String($0.output.1) }
        }
      }
      code.sort()
      links.removeAll { $0 == "README.md" || $0 == "README.zh-Hans.md" }
    }
  }

  // MARK: Links

  @Test func `links between pages lead to existing files, and an index links to every page in docs`() throws {
    let docs = Repository.files(below: "docs", ending: ".md")
    let pages = ["README.md", "README.zh-Hans.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"] + docs
    let indexes = ["docs/README.md", "docs/decisions/README.md"]
    var linked: Set<String> = []
    for page in pages {
      let folder = URL(fileURLWithPath: page, relativeTo: Repository.root).deletingLastPathComponent()
      for match in try Self.prose(Repository.text(page)).matches(of: /\]\(([^)# ]+)(?:#[^)]*)?\)/) {
        let target = String(match.output.1)
        if target.contains("://") { continue }
        let file = folder.appendingPathComponent(target).standardizedFileURL
        #expect(FileManager.default.fileExists(atPath: file.path), "\(page) links to \(target)")
        if indexes.contains(page) { linked.insert(file.path) }
      }
    }
    for page in docs where page != "docs/README.md" {
      let file = Repository.root.appendingPathComponent(page).standardizedFileURL
      #expect(linked.contains(file.path), "no index links \(page)")
    }
  }

  /// Returns the text of a page without its code blocks.
  private static func prose(_ text: String) -> String {
    text.components(separatedBy: "\n```").enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element).joined()
  }

  // MARK: References

  @Test func `the page on events describes every event and every field`() throws {
    let page = try Repository.text("docs/events.md")
    let source = try Repository.text("Sources/FlowEngine/Report/RunEvent.swift")
    let names = source.matches(of: /case \.\w+: "([a-z]+\.[a-z-]+)"/).map { String($0.output.1) }
    #expect(names.count > 15)
    for name in names { #expect(page.contains("| `\(name)` |"), "docs/events.md does not explain \(name)") }

    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "events-\(UInt64.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try """
    name: fields
    deadline: { max: 1m }
    events: [go]
    steps:
      post: { uses: flow.post, with: { event: go } }
      items: { run: 'true', after: go, foreach: [1, 2] }
      fails: { run: exit 1, needs: items, optional: true, retry: { attempts: 2, delay: 1ms } }
    """.write(to: folder.appendingPathComponent("fields.yaml"), atomically: true, encoding: .utf8)
    let run = try FlowrunProcess.run(["fields.yaml", "--json", "--report", "report.json"], in: folder.path)
    try #require(run.exitCode == 0, "\(run.errors)")
    let report = try String(contentsOf: folder.appendingPathComponent("report.json"), encoding: .utf8)
    // The names of steps and queues appear as keys but are not fields.
    let others: Set = ["post", "items", "fails", "main"]
    let fields = Set((run.output + report).matches(of: /"(\w+)" ?:/).map { String($0.output.1) }).subtracting(others)
    #expect(fields.count > 30)
    for field in fields { #expect(page.contains("`\(field)`"), "docs/events.md does not explain \(field)") }
  }
}
