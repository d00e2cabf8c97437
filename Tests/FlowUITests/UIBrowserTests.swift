#if Network
  import FlowModel
  import Foundation
  import TestSupport
  import Testing

  /// Tests typical uses of the pages in Chromium.
  @Suite(.timeLimit(.minutes(10)), .serialized) struct `The page in a browser` {
    private static let client = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("PageClient/ui.py").path

    static let hasBrowser = ["chromium", "chromedriver"].allSatisfy { name in
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
      "sub/over.yaml": """
      name: over
      inputs: { out: { type: path, default: result.txt } }
      steps:
        write: { run: 'echo fresh > "$O"; echo "$O"', env: { O: "${{ inputs.out }}" } }
      """,
      "inputs.yaml": """
      name: inputs
      inputs:
        body: { type: string, default: "first line\\nsecond line" }
        tab: { type: string, default: "a\\tb" }
        who: { type: string, default: world }
        pkg: { type: string, default: "@scope/pkg" }
        count: { type: integer, default: 5 }
        kind: { type: string, enum: [one, "two  spaces"], default: one }
        any: { type: any, default: "5" }
        maybe: { type: string, required: false }
        long: { type: string, required: false }
      steps: { a: { uses: flow.noop } }
      """,
      "tick.yaml": """
      name: tick
      steps: { talk: { run: 'for i in $(seq 60); do echo $i; sleep 0.1; done' } }
      """,
      "many.yaml": """
      name: many
      steps:
        convert:
          foreach: { items: "${{ fromJSON('[0,1,2,3,4,5,6,7,8,9]') }}", fail-fast: false }
          name: Convert a file
          env: { N: "${{ item }}" }
          run: 'echo item "$N"; test $(( N % 4 )) -ne 1'
      """,
      "a-step-with-a-long-id.yaml": """
      name: long
      steps: { \(String(repeating: "long-", count: 12))id: { run: echo printed }, b: { run: echo b } }
      """,
      "killed.yaml": """
      name: killed
      durable: true
      steps:
        quick: { run: echo quick }
        slow: { run: "test -e go || { touch go; sleep 60; }", needs: quick }
      """,
    ]

    static func browse(_ words: [String]) throws -> ValueObject {
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
    func `a run can be started by keyboard and followed live, and nothing in its output is executed`(
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

    @Test(.enabled(if: hasBrowser))
    func `an unchanged form starts the same run as the command line, and an invalid field is marked`()
      async throws
    {
      let page = try await ServedUI(Self.workflows)
      try "precious".write(to: page.folder.appendingPathComponent("result.txt"), atomically: true, encoding: .utf8)
      for file in ["sub/over.yaml", "inputs.yaml"] { _ = try page.flowrun(file) }
      let session = try page.session()
      let seen = try Self.browse([page.link, "1280", "light", "form"])
      let form = seen["form"]?.objectValue ?? [:]
      func inputs(_ name: String) throws -> ValueObject {
        let run = try #require(form[name]?.stringValue, "\(seen)")
        let report = try JSONText.parse(try page.ask("/runs/\(run)/report.json", session).body)
        return report.objectValue?["inputs"]?.objectValue ?? [:]
      }
      let sub = page.folder.appendingPathComponent("sub").path
      #expect(try inputs("path") == ["out": .string("\(sub)/result.txt")])
      #expect(try String(contentsOf: page.folder.appendingPathComponent("result.txt"), encoding: .utf8) == "precious")
      let home = ProcessInfo.processInfo.environment["HOME"] ?? ""
      let paths = ["\(sub)/result.txt", "\(sub)/other/result.txt", "\(home)/result.txt", "\(sub)/~x"]
      #expect(form["paths"]?.arrayValue == paths.map { .string("→ \($0)") }, "\(seen)")
      let given: ValueObject = [
        "body": "first line\nsecond line", "tab": "a\tb", "who": "world", "pkg": "@scope/pkg", "count": 5,
        "kind": "one",
        "any": "5", "maybe": .null, "long": .null,
      ]
      #expect(try inputs("untouched") == given)
      let refusal = form["refusal"]?.arrayValue ?? []
      #expect(refusal.count == 4 && refusal[0] == "count" && refusal[1] == "true" && refusal[3] == true, "\(refusal)")
      #expect(refusal[2].stringValue?.contains("integer") == true, "\(refusal)")
      #expect(form["choice"] == "leave it out")
      var changed = given
      (changed["who"], changed["pkg"], changed["kind"], changed["maybe"]) = ("", "@/etc/hostname", "two  spaces", "")
      changed["long"] = .string(String(repeating: "x", count: 200_000))
      #expect(try inputs("changed") == changed)
      #expect(try inputs("again") == changed)
      #expect(form["filled"]?.arrayValue == ["", "5", "=two  spaces", "first line\nsecond line"])
      changed["who"] = "third"
      #expect(try inputs("third") == changed)
      await page.stop()
    }

    @Test(.enabled(if: hasBrowser))
    func `the page updates at least every 1.3 s while a step prints, and shows the state in its title and icon`()
      async throws
    {
      let page = try await ServedUI(Self.workflows)
      let seen = try Self.browse([page.link, "1280", "light", "live"])
      let live = seen["live"]?.objectValue ?? [:]
      // The longest interval between updates can be measured only on an otherwise idle machine.
      if TestExtent.isFull { #expect(live["longest"]?.numberValue ?? 9 < 1.3, "\(seen)") }
      #expect(
        live["titles"]?.arrayValue == ["● tick: Running", "✓ tick: Succeeded"] && live["icons"] == true, "\(seen)")
      await page.stop()
    }

    @Test(.enabled(if: hasBrowser))
    func `the page keeps updating step times while the server is busy, and stops if the connection is lost`()
      async throws
    {
      let page = try await ServedUI(Self.workflows)
      let seen = try Self.browse([page.link, "1280", "light", "busy"])
      let busy = seen["busy"]?.objectValue ?? [:]
      #expect(busy["isStopped"] == true && busy["home"]?.stringValue?.hasPrefix("for ") == true, "\(seen)")
      await page.stop()
    }

    @Test(.enabled(if: hasBrowser)) func `the buttons for posting, answering and cancelling disappear after use`()
      async throws
    {
      guard TestExtent.isFull else { return }
      let page = try await ServedUI(Self.workflows)
      let seen = try Self.browse([page.link, "1280", "light", "control"])
      #expect(seen["control"]?.objectValue?["buttons"]?.arrayValue == ["Resume"], "\(seen)")
      #expect(seen["console"]?.arrayValue == [])
      await page.stop()
    }

    @Test(.enabled(if: hasBrowser)) func `the page can resume a run whose process was killed`() async throws {
      guard TestExtent.isFull else { return }
      let page = try await ServedUI(Self.workflows)
      let process = try FlowrunProcess(["killed.yaml"], in: page.folder.path)
      let marker = page.folder.appendingPathComponent("go").path
      #expect(within(seconds: 30) { FileManager.default.fileExists(atPath: marker) })
      process.send(SIGKILL)
      _ = process.result()
      let run = try #require(try page.runs().first)
      let shown = try page.ask("/runs/\(run)", try page.session()).body
      #expect(
        shown.contains("&#39;slow&#39; was running when flowrun ended; Resume runs it again from its start"), "\(shown)"
      )
      #expect(shown.contains("1 running when flowrun ended") && shown.contains(#""cut off""#))
      let seen = try Self.browse([page.link, "1280", "light", "resume"])
      #expect(seen["resume"]?.objectValue?["headline"]?.stringValue?.contains("resumed") == true, "\(seen)")
      await page.stop()
    }

    @Test(.enabled(if: hasBrowser)) func `the page follows a log of 100,000 lines without losing any`() async throws {
      guard TestExtent.isFull else { return }
      let page = try await ServedUI(Self.workflows)
      let seen = try Self.browse([page.link, "1280", "light", "log"])
      let log = seen["log"]?.objectValue ?? [:]
      #expect(log["count"]?.stringValue == "100000 lines" && log["last"]?.booleanValue == true, "\(seen)")
      #expect(log["found"]?.stringValue == "11 of 100000 lines", "\(seen)")
      #expect(log["elements"]?.numberValue ?? .infinity < 1_500)
      await page.stop()
    }

    @Test(.enabled(if: hasBrowser)) func `the page lists failed items at the top, with a page and a log for each`()
      async throws
    {
      let page = try await ServedUI(Self.workflows)
      _ = try page.flowrun("many.yaml")
      let run = try #require(try page.runs().first)
      let seen = try Self.browse([page.link, "320", "dark", "items:/runs/\(run)"])
      let items = seen["items"]?.objectValue ?? [:]
      #expect(
        items["panels"]?.integerValue == 1
          && items["header"]?.stringValue?.contains("convert: 7 of 10, 3 failed") == true, "\(seen)")
      #expect(
        items["rows"]?.arrayValue?.prefix(4) == ["convert[1]", "convert[5]", "convert[9]", "convert[0]"], "\(seen)")
      #expect(items["log"]?.arrayValue == ["item 5"] && items["fits"]?.booleanValue == true, "\(seen)")
      await page.stop()
    }

    @Test(.enabled(if: hasBrowser)) func `the page fits on a phone even with long ids, and edges have enough contrast`()
      async throws
    {
      let page = try await ServedUI(Self.workflows)
      _ = try page.flowrun("a-step-with-a-long-id.yaml")
      let run = try #require(try page.runs().first)
      for scheme in ["light", "dark"] {
        let seen = try Self.browse([page.link, "320", scheme, "phone:/runs/\(run)"])
        let phone = seen["phone"]?.objectValue ?? [:]
        #expect(phone["width"]?.numberValue ?? 999 <= 320, "\(seen)")
        #expect(phone["edge"]?.numberValue ?? 0 >= 3, "\(seen)")
      }
      await page.stop()
    }

    @Test(.enabled(if: hasBrowser))
    func `after a restart, the page explains how to get the new link, which leads back to the same page`() async throws
    {
      guard FileManager.default.isExecutableFile(atPath: Self.program) else { return }
      let page = try await ServedUI(Self.workflows)
      _ = try page.flowrun("tick.yaml")
      let run = try #require(try page.runs().first)
      let seen = try Self.browse(["--restart", Self.program, page.folder.path, "/runs/\(run)?step=talk"])
      #expect(seen["said"]?.stringValue?.contains("open the new link") == true, "\(seen)")
      #expect(seen["path"]?.stringValue == "/runs/\(run)?step=talk", "\(seen)")
      await page.stop()
    }

    /// The path of the program `flowrun-ui`.
    private static let program = URL(fileURLWithPath: FlowrunProcess.path).deletingLastPathComponent()
      .appendingPathComponent("flowrun-ui").path
  }

  /// Compares screenshots of pages with recorded ones. The pages are of real runs whose times are rounded.
  ///
  /// `RECORD_SNAPSHOTS=1` records them again and fails once, so that a person checks the result.
  @Suite(.timeLimit(.minutes(10)), .serialized) struct `Screenshots of flowrun ui` {
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
    func `new screenshots of a run's page match the recorded ones`(name: String, workflow: String) async throws {
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
  }
#endif
