import Testing

/// What must not be in the repository, and what must be.
struct TextTests {
  @Test func `every decision, limit and module that the pages name exists`() throws {
    let page = try Repository.text("ARCHITECTURE.md")
    for target in ["FlowDiagnostics", "FlowModel", "FlowExpressions", "FlowSyntax", "FlowPluginKit", "FlowEngine"] {
      #expect(page.contains("`\(target)`"))
      #expect(!Repository.files(below: "Sources/\(target)", ending: ".swift").isEmpty)
    }
  }

  @Test func `every plugin has a page that says what it is`() throws {
    for file in Repository.files(below: "plugins", ending: "README.md") where file.split(separator: "/").count == 3 {
      let text = try Repository.text(file)
      #expect(text.hasPrefix("# "), "\(file)")
      #expect(text.contains("```yaml") || text.contains("uses:"), "\(file) shows no example step")
    }
  }

  @Test func `no unsafe promise stands without its proof above it`() throws {
    let promises = ["@unchecked Sendable", "nonisolated(unsafe)"]
    let files =
      Repository.files(below: "Sources", ending: ".swift") + Repository.files(below: "plugins", ending: ".swift")
    for file in files {
      let lines = try Repository.text(file).split(separator: "\n", omittingEmptySubsequences: false)
      for (number, line) in lines.enumerated() where promises.contains(where: { line.contains($0) }) {
        guard !line.trimmingPrefix(while: { $0 == " " }).hasPrefix("//") else { continue }
        // Promises that stand together share the proof above the first.
        var first = number
        while first > 0, promises.contains(where: { lines[first - 1].contains($0) }) { first -= 1 }
        let above = first > 0 ? lines[first - 1].trimmingPrefix(while: { $0 == " " }) : ""
        #expect(above.hasPrefix("//"), "\(file):\(number + 1) has no proof above it")
      }
    }
  }
}
