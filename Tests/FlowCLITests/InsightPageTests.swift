import FlowModel
import Foundation
import Testing

/// The pages in a real browser: Chromium without a window, driven as a reader drives it.
@Suite(.timeLimit(.minutes(3))) struct `A page` {
  private static let workflow = """
    name: "<b>page</b> & 'quotes'"
    deadline: { min: 50ms, max: 3s }
    events: [door]
    budgets: ['p95(gate) <= 2s', 'missed <= 1%']
    steps:
      slow: { uses: flow.sleep, with: { for: 60ms }, estimate: 50ms..90ms, blocking: false }
      open: { uses: flow.post, needs: slow, with: { event: door }, blocking: false }
      one: { uses: flow.sleep, with: { for: 20ms }, queue: main, estimate: 20ms }
      two: { uses: flow.sleep, with: { for: 30ms }, queue: main, estimate: 30ms..40ms }
      show: { uses: flow.sleep, with: { for: 40ms }, after: door, estimate: 40ms..50ms }
      later: { uses: flow.noop, defer: true }
    """

  private static let client = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("PageClient/browse.py").path

  private static let hasBrowser = ["chromium", "chromedriver"].allSatisfy { name in
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\(name)")
  }

  @Test(.enabled(if: hasBrowser), arguments: [(1280, "light"), (390, "dark")])
  func `asks nobody for anything, says nothing on the console, and answers pointer and keys`(
    width: Int, scheme: String
  ) throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(Self.workflow, to: "page.yaml")
    #expect(try tool.run("page.yaml", "--report", "run.html").exitCode == 0)
    #expect(
      try tool.run("simulate", "page.yaml", "--runs", "300", "--format", "html", "-o", "forecast.html").exitCode
        == 0)
    for page in ["run.html", "forecast.html"] {
      let seen = try Self.browse(tool.folder.appendingPathComponent(page).path, width, scheme)
      #expect(seen["title"]?.stringValue == "<b>page</b> & 'quotes'")
      #expect(seen["console"]?.arrayValue == [] && seen["requests"]?.arrayValue == [], "\(seen)")
      #expect(seen["overflows"]?.booleanValue == false)
      #expect(seen["hover"]?.stringValue?.contains(": run ") == true)
      #expect(seen["arrow"]?.stringValue?.contains(" ms to ") == true)
      #expect(seen["zoom"]?.numberValue ?? 0 > 1.9)
      let times = { (name: String) in seen[name]?.arrayValue?.compactMap { $0.stringValue.flatMap(Double.init) } ?? [] }
      #expect(times("ascending").count > 4 && times("ascending") == times("ascending").sorted())
      #expect(times("descending") == times("descending").sorted(by: >))
    }
  }

  @Test func `is one file that reads without its script`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(Self.workflow, to: "page.yaml")
    let page = try tool.run("simulate", "page.yaml", "--runs", "300", "--format", "html").standardOutput
    #expect(page.hasPrefix("<!doctype html>") && page.hasSuffix("</html>\n"))
    #expect(!page.contains("http://") && !page.contains("https://") && !page.contains("<b>page</b>"))
    #expect(page.contains("&lt;b&gt;page&lt;/b&gt;"))
    for text in [
      "p95(gate) &lt;= 2s", "kept", "ready, P95", "The run at P95", "show", "<caption>All steps</caption>",
    ] {
      #expect(page.contains(text), "\(text)")
    }
  }

  private static func browse(_ page: String, _ width: Int, _ scheme: String) throws -> ValueObject {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["timeout", "90", "python3", client, page, page + ".png", "\(width)", scheme]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return try #require(try JSONText.parse(Array(bytes)).objectValue)
  }
}
