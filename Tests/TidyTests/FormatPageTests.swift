import FlowKitYAML
import Foundation
import TestSupport
import Testing

/// The pages about the format: every workflow in them is valid, and what is shown of a run is what happens.
@Suite(.timeLimit(.minutes(10))) struct FormatPageTests {
  @Test(arguments: ["docs/format.md", "docs/coming-from.md", "docs/up-to-date.md"])
  func `every workflow of the page is valid, and runs as the page says`(page: String) throws {
    try check(page)
  }

  @Test func `the page of secrets, which has a command in Python, says what is true`() throws {
    try check("docs/secrets.md")
  }

  private func check(_ page: String) throws {
    let blocks = try Block.all(in: Repository.text(page))
    let folder = try PageFolder()
    defer { folder.remove() }
    var shown: Set<String> = []
    var written: Set<String> = []
    for block in blocks {
      if let name = block.name {
        try folder.write(block)
        if block.language == "yaml" { written.insert(name) }
      } else if block.language == "console" {
        try folder.check(block)
        for name in written where block.text.contains(" \(name)") { shown.insert(name) }
      }
    }
    #expect(!written.isEmpty)
    #expect(written.subtracting(shown) == [], "no test runs these")
  }

  /// Where a test of the page fails after a change to limits: write the new number.
  @Test func `every limit of the page is the one that holds`() throws {
    let page = try Repository.text("docs/format.md")
    let limits: [(String, Int)] = [
      ("Steps in a workflow", Limits.steps), ("Characters in a step's id", Limits.stepIDCharacters),
      ("Bytes in the name of a workflow", Limits.workflowNameBytes),
      ("Attempts of a step", Limits.attempts), ("Events posted in a run", Limits.events),
      ("Nodes that aliases expand to", Limits.aliasNodes), ("Levels of nesting", Limits.nestingDepth),
      ("Different `resources` in a workflow", Limits.requests),
      ("Posts that wait for `flow.on`", Limits.waitingPosts), ("MiB in a file", Limits.fileBytes >> 20),
      ("KiB in a log line", Limits.logLineBytes >> 10), ("MiB of outputs of a step", Limits.outputBytes >> 20),
      ("MiB that a command writes to `FLOWRUN_OUTPUT`", Limits.outputBytes >> 20),
      ("Problems reported in a file", Limits.diagnostics), ("Secrets of a workflow", Limits.secrets),
      ("Files matched by `inputs-from` or `produces`", Limits.watchedFiles),
      ("MiB in a file that travels to a worker", Limits.transferredFileBytes >> 20),
      ("KiB in a secret", Limits.secretBytes >> 10), ("Lines of a secret", Limits.secretLines),
    ]
    for (name, limit) in limits { #expect(page.contains("| \(name) | \(Self.grouped(limit)) |"), "\(name)") }
  }

  private static func grouped(_ number: Int) -> String {
    var digits = String(number)
    var groups: [String] = []
    while digits.count > 3 {
      groups.insert(String(digits.suffix(3)), at: 0)
      digits.removeLast(3)
    }
    return ([digits] + groups).joined(separator: ",")
  }
}
