import Foundation
import TestSupport
import Testing

/// Tests the pages about the workflow format. Every workflow must be valid, and every output must be that of a run.
@Suite(.timeLimit(.minutes(10))) struct FormatPageTests {
  @Test(arguments: ["docs/format.md", "docs/coming-from.md", "docs/up-to-date.md"])
  func `every workflow on a page is valid and runs as described`(page: String) throws {
    try check(page)
  }

  @Test func `every workflow on the page about secrets, which uses Python, is valid and runs as described`() throws {
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
}
