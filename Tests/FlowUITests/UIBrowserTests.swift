#if Network
  import FlowModel
  import Foundation
  import TestSupport
  import Testing

  /// The flows of people, in a real Chromium.
  @Suite(.timeLimit(.minutes(5)), .serialized) struct `The page in a browser` {
    private static let client = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("PageClient/ui.py").path

    fileprivate static let hasBrowser = ["chromium", "chromedriver"].allSatisfy { name in
      FileManager.default.isExecutableFile(atPath: "/usr/bin/\(name)")
    }

    private static let workflows = [
      "flow.yaml": """
      name: flow
      inputs: { who: { type: string, default: you }, deep: { type: boolean, default: false } }
      deadline: { min: 100ms, max: 10s }
      steps:
        first: { run: "sleep 1; echo '<img src=x onerror=window.isHit=true> hello ${{ inputs.who }}'" }
        second: { run: "echo second; sleep 0.5", needs: first }
        never: { if: "inputs.deep", run: echo deep }
      """,
      "waiting.yaml": """
      name: waiting
      events: [go]
      steps:
        hold: { run: echo went, after: go }
        ask: { uses: flow.ask, with: { question: "Publish?", choices: [yes, no] } }
      """,
      "log.yaml": """
      name: log
      steps: { print: { run: "for i in $(seq 100000); do echo line $i; done" } }
      """,
      "killed.yaml": """
      name: killed
      durable: true
      steps:
        quick: { run: echo quick }
        slow: { run: "test -e go || { touch go; sleep 60; }", needs: quick }
      """,
    ]

    fileprivate static func browse(_ words: [String]) throws -> ValueObject {
      let quoted = words.map { "'\($0)'" }.joined(separator: " ")
      let result = try Shell.run("python3 '\(client)' \(quoted)")
      let line = result.output.split(separator: "\n").last.map(String.init) ?? ""
      guard result.status == 0, let value = try? JSONText.parse(line) else {
        Issue.record("\(result.output)")
        return [:]
      }
      return value.objectValue ?? ["pages": value]
    }

    @Test(.enabled(if: hasBrowser), arguments: [(1280, "light"), (390, "dark")])
    func `starts a run by keyboard, shows it live to its end, and runs nothing that it printed`(
      width: Int, scheme: String
    ) async throws {
      guard width == 1280 || TestExtent.isFull else { return }
      let page = try await ServedUI(Self.workflows)
      let seen = try Self.browse([page.link, "\(width)", scheme, "start"])
      let start = seen["start"]?.objectValue ?? [:]
      #expect(start["keyboard"]?.booleanValue == true && start["isSame"]?.booleanValue == true, "\(seen)")
      #expect(start["inputs"]?.stringValue?.contains("-key") == true, "\(seen)")
      #expect(
        start["reasons"]?.arrayValue?.contains { $0.stringValue?.contains("never: skipped: condition") == true } == true
      )
      let log = start["log"]?.arrayValue?.compactMap(\.stringValue) ?? []
      #expect(
        log.contains { $0.contains("<img src=x onerror=window.isHit=true> hello") }
          && log.contains { $0.contains("second") })
      #expect(start["fits"]?.booleanValue == true && seen["console"]?.arrayValue == [], "\(seen)")
      await page.stop()
    }

    @Test(.enabled(if: hasBrowser)) func `posts, answers and cancels with buttons that go when they are done`()
      async throws
    {
      guard TestExtent.isFull else { return }
      let page = try await ServedUI(Self.workflows)
      let seen = try Self.browse([page.link, "1280", "light", "control"])
      #expect(seen["control"]?.objectValue?["buttons"]?.arrayValue == ["Resume"], "\(seen)")
      #expect(seen["console"]?.arrayValue == [])
      await page.stop()
    }

    @Test(.enabled(if: hasBrowser)) func `resumes a run whose process was killed`() async throws {
      guard TestExtent.isFull else { return }
      let page = try await ServedUI(Self.workflows)
      let process = try FlowrunProcess(["killed.yaml"], in: page.folder.path)
      let marker = page.folder.appendingPathComponent("go").path
      #expect(within(seconds: 30) { FileManager.default.fileExists(atPath: marker) })
      process.send(SIGKILL)
      _ = process.result()
      let seen = try Self.browse([page.link, "1280", "light", "resume"])
      #expect(seen["resume"]?.objectValue?["headline"]?.stringValue?.contains("resumed") == true, "\(seen)")
      await page.stop()
    }

    @Test(.enabled(if: hasBrowser)) func `follows a log of 100,000 lines and loses none`() async throws {
      guard TestExtent.isFull else { return }
      let page = try await ServedUI(Self.workflows)
      let seen = try Self.browse([page.link, "1280", "light", "log"])
      let log = seen["log"]?.objectValue ?? [:]
      #expect(log["count"]?.stringValue == "100000 lines" && log["last"]?.booleanValue == true, "\(seen)")
      #expect(log["found"]?.stringValue == "11 of 100000 lines", "\(seen)")
      #expect(log["elements"]?.numberValue ?? .infinity < 1_500)
      await page.stop()
    }

    private static let axe = Repository.axe

    @Test(.enabled(if: hasBrowser)) func `has no fault that axe-core finds, and says nothing on the console`()
      async throws
    {
      guard TestExtent.isFull, let axe = Self.axe else { return }
      let page = try await ServedUI(
        Self.workflows.merging(["bad.yaml": "name: bad\nsteps: { a: { run: exit 3 } }\n"]) { $1 })
      for file in ["flow.yaml", "flow.yaml", "bad.yaml"] { _ = try page.flowrun(file) }
      let runs = try page.runs()
      try #require(runs.count == 3)
      let seen = try Self.browse(
        ["--pages", page.link, "", axe, "/", "/workflows/flow.yaml", "/runs/\(runs[0])", "/runs/\(runs[1])"] + [
          "/runs/\(runs[1])?step=first", "/compare?a=\(runs[2])&b=\(runs[1])",
        ])
      let pages = seen["pages"]?.arrayValue ?? []
      #expect(pages.count == 24)
      for page in pages.compactMap(\.objectValue) {
        #expect(
          page["axe"]?.arrayValue == [] && page["console"]?.arrayValue == [] && page["fits"]?.booleanValue == true,
          "\(page)")
      }
      await page.stop()
    }
  }

  /// Pictures of pages of real runs, with rounded times.
  ///
  /// `RECORD_SNAPSHOTS=1` takes them again and fails once, so that a person looks at them.
  @Suite(.timeLimit(.minutes(2)), .serialized) struct `Pictures of flowrun ui` {
    private static let launch = """
      name: app
      deadline: { min: 1s, max: 3s }
      steps:
        open-store: { uses: flow.sleep, with: { for: 100ms } }
        account: { uses: flow.sleep, with: { for: 500ms }, needs: open-store }
        trips: { uses: flow.sleep, with: { for: 400ms }, needs: open-store }
        map: { uses: flow.log, with: { message: "drawing the map" }, needs: [account, trips] }
        load-ads: { uses: flow.sleep, with: { for: 1600ms }, blocking: false }
        clean-up: { uses: flow.sleep, with: { for: 400ms }, defer: true }
      """
    private static let failing = """
      name: nightly
      steps:
        fetch: { run: "sleep 0.3; echo 40 files" }
        check: { run: "sleep 0.2; echo 'sales-07.csv: line 112 has 4 columns instead of 5' >&2; exit 1", needs: fetch }
        train: { run: echo training, needs: check }
        report: { run: "echo the data is $STATE", needs: train, env: { STATE: new } }
      """

    @Test(.enabled(if: `The page in a browser`.hasBrowser), arguments: [("ui-run", launch), ("ui-failure", failing)])
    func `show what the page of a run shows`(name: String, workflow: String) async throws {
      let file = "\(workflow.split(separator: "\n")[0].dropFirst("name: ".count)).yaml"
      let page = try await ServedUI([file: workflow])
      _ = try page.flowrun(file)
      let run = try #require(try page.runs().first)
      let committed = Repository.root.appendingPathComponent("docs/\(name).png").path
      let taken = page.folder.appendingPathComponent("taken.png").path
      let seen = try `The page in a browser`.browse(["--picture", page.link, "/runs/\(run)", taken, committed])
      if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
        try Data(contentsOf: URL(fileURLWithPath: taken)).write(to: URL(fileURLWithPath: committed))
        Issue.record("took docs/\(name).png again; look at it")
      } else {
        #expect(seen["difference"]?.numberValue ?? 1 < 0.03, "take it again with RECORD_SNAPSHOTS=1: \(seen)")
      }
      await page.stop()
    }
  }

  private enum Repository {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()

    /// axe-core, as `scripts/setup test` has installed it; nil: it could not be.
    static let axe: String? = {
      let folder = root.appendingPathComponent(".build/test-axe").path
      let path = FileManager.default.enumerator(atPath: folder)?.first {
        ($0 as? String)?.hasSuffix("/axe.min.js") == true
      }
      return (path as? String).map { "\(folder)/\($0)" }
    }()
  }
#endif
