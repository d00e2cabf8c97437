import FlowModel
import Foundation
import TestSupport
import Testing

/// Tests pages in headless Chromium as a reader uses them.
@Suite(.timeLimit(.minutes(10))) struct `An HTML page` {
  private static let workflow = """
    name: "<b>page & 'quotes'"
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
  func `a page makes no requests, logs nothing, and responds to the pointer and the keyboard`(
    width: Int, scheme: String
  ) throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(Self.workflow, to: "page.yaml")
    #expect(try tool.run("page.yaml", "--report", "run.html").exitCode == 0)
    #expect(
      try tool.run("simulate", "page.yaml", "--runs", "100", "--format", "html", "-o", "forecast.html").exitCode
        == 0)
    for page in ["run.html", "forecast.html"] {
      let seen = try Self.browse(tool.folder.appendingPathComponent(page).path, width, scheme)
      #expect(seen["title"]?.stringValue == "<b>page & 'quotes'")
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

  @Test func `a page is a single file that is readable without its script`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(Self.workflow, to: "page.yaml")
    let page = try tool.run("simulate", "page.yaml", "--runs", "100", "--format", "html").standardOutput
    #expect(page.hasPrefix("<!doctype html>") && page.hasSuffix("</html>\n"))
    #expect(!page.contains("http://") && !page.contains("https://") && !page.contains("<b>page"))
    #expect(page.contains("&lt;b&gt;page"))
    for text in [
      "p95(gate) &lt;= 2s", "kept", "ready, P95", "The run at P95", "show", "<caption>All steps</caption>",
    ] {
      #expect(page.contains(text), "\(text)")
    }
  }

  private static let failing = """
    name: deploy
    inputs: { target: { type: string, default: staging }, token: { type: string, secret: true } }
    steps:
      build: { run: "echo $TOKEN; echo '</script><script>alert(1)</script>'; echo 'no such file' >&2; exit 3", env: { TOKEN: "${{ inputs.token }}" }, retry: { attempts: 2, delay: 1ms } }
      lint: { run: "echo lint warns; exit 1", optional: true }
      upload: { needs: build, run: "echo upload" }
      docs: { if: "inputs.target == 'production'", run: "echo docs" }
    """

  @Test func `a page of a failed run begins with failures and their causes, then skipped steps`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(Self.failing, to: "deploy.yaml")
    try tool.write("s3cr3t-t0ken", to: "token")
    let run = try tool.run("deploy.yaml", "-i", "target=test", "-i", "token=@token", "--report", "page.html")
    #expect(run.exitCode == 1, "\(run)")
    let file = tool.folder.appendingPathComponent("page.html")
    let page = try String(contentsOf: file, encoding: .utf8)
    let parts = ["Failed in", "<h1>deploy</h1>", "deploy.yaml", "What failed", "exited with status 3", "no such file"]
    var rest = page[...]
    for part in parts {
      let found = try #require(rest.range(of: part), "\(part) is missing or comes too late")
      rest = rest[found.upperBound...]
    }
    for text in [
      "in attempt 2 of 2", "<dt>target</dt><dd>test</dd>", "0 of 4 steps succeeded, 1 failed, 1 optional and failed",
      "upstream-failed", "<td>skipped</td><td>condition</td>", "failure (optional)", "&lt;script&gt;alert(1)",
    ] {
      #expect(page.contains(text), "\(text)")
    }
    #expect(page.contains("***"))
    for text in ["<script>alert", "s3cr3t-t0ken", "<h2>Gate</h2>", "ready at", "never"] {
      #expect(!page.contains(text), "\(text)")
    }
    // The page of the recorded run has the same content.
    let again = try tool.run("analyze", "last", "--format", "html").standardOutput
    #expect(again.contains("no such file") && again.contains("<dt>target</dt><dd>test</dd>"))
    #expect(!again.contains("s3cr3t-t0ken"))
  }

  @Test func `a page shows a run with a failed optional step as partly succeeded`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    let workflow = """
      name: nightly
      deadline: { min: 5s, max: 1m }
      steps: { base: { uses: flow.noop }, lint: { run: exit 1, optional: true }, later: { uses: flow.noop, defer: true } }
      """
    try tool.write(workflow, to: "nightly.yaml")
    #expect(try tool.run("nightly.yaml", "--report", "page.html").exitCode == 0)
    let page = try String(contentsOf: tool.folder.appendingPathComponent("page.html"), encoding: .utf8)
    #expect(page.contains("Partly succeeded in") && page.contains("the workflow allows it"))
    #expect(page.contains("<h2>Gate</h2>") && page.contains("held by the minimum"))
  }

  @Test(.enabled(if: hasBrowser)) func `a page with 10,000 steps draws only the visible ones`()
    throws
  {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    // For a report of schema 1, slack is not computed. That would take minutes in a debug build.
    let steps = (0..<10_000).map { number in
      let (start, end) = (number % 97, number % 97 + 3 + number % 11)
      let times = #""readyAt":\#(start),"startedAt":\#(start).5,"endedAt":\#(end).25"#
      let skipped = #""outcome":"skipped","conclusion":"skipped","reason":"condition","attempts":0,"endedAt":\#(start)"#
      let failed = #""error":{"code":"command-failed","message":"'make' exited with status 2:\\n  no such file"}"#
      let word = number % 1_000 == 7 ? "failure" : "success"
      let ran =
        #""outcome":"\#(word)","conclusion":"\#(word)","attempts":1,\#(times)\#(word == "failure" ? "," + failed : "")"#
      return #""s\#(number)":{\#(number % 50 == 3 ? skipped : ran)}"#
    }
    let report =
      #"{"workflow":"many","runId":"1","conclusion":"failure","durationMilliseconds":120,"steps":{\#(steps.joined(separator: ","))}}"#
    try tool.write(report, to: "many.json")
    #expect(try tool.run("analyze", "many.json", "--format", "html", "-o", "many.html").exitCode == 0)
    let page = tool.folder.appendingPathComponent("many.html").path
    #expect(try Data(contentsOf: URL(fileURLWithPath: page)).count < 1_500_000)
    let seen = try Self.browse(page, 1280, "many")
    #expect(seen["elements"]?.numberValue ?? .infinity < 2_000, "\(seen)")
    // Sorting takes 100 ms on an idle machine. The limit only detects a very slow sort.
    #expect(seen["sort"]?.numberValue ?? .infinity < 4_000, "\(seen)")
    #expect(seen["search"]?.stringValue == "11 of 10000 steps" && seen["outcome"]?.stringValue == "10 of 10000 steps")
    #expect(seen["cause"]?.stringValue == "200 of 10000 steps")
    #expect(seen["aim"]?.stringValue == "✗ s7" && seen["isSeen"]?.booleanValue == true, "\(seen)")
  }

  private static func browse(_ page: String, _ width: Int, _ scheme: String) throws -> ValueObject {
    let output = try Shell.run("timeout 90 python3 '\(client)' '\(page)' '\(page).png' \(width) \(scheme)").output
    return try #require(try JSONText.parse(Array(output.utf8)).objectValue)
  }
}
