#if Network
  import FlowModel
  import Foundation
  import TestSupport
  import Testing

  /// Tests parts of pages in Chromium, and limits that apply to every page.
  @Suite(.timeLimit(.minutes(10)), .serialized) struct `Page parts in a browser` {
    private static let hasBrowser = `The page in a browser`.hasBrowser

    private static func browse(_ words: [String]) throws -> ValueObject { try `The page in a browser`.browse(words) }

    private static let table = """
      name: table
      inputs: { names: { type: array, default: [\((0..<250).map { "file-\($0)" }.joined(separator: ", "))] } }
      steps:
        convert:
          foreach: { items: "${{ inputs.names }}", fail-fast: false }
          uses: flow.fail
          with: { message: "${{ item }}: bad header" }
          if: "endsWith(item, '7')"
      """

    @Test(.enabled(if: hasBrowser)) func `hundreds of items can be searched, filtered and opened`() async throws {
      let page = try await ServedUI(["table.yaml": Self.table])
      _ = try page.flowrun("table.yaml")
      let run = try #require(try page.runs().first)
      let seen = try Self.browse([page.link, "1280", "light", "table:/runs/\(run)"])
      let table = seen["table"]?.objectValue ?? [:]
      #expect(table["columns"]?.arrayValue == ["item", "value", "outcome", "took", "attempts", "why"], "\(seen)")
      #expect(table["first"]?.arrayValue == ["convert[7]", "file-7", "failure"], "\(seen)")
      #expect(table["searched"] == "11 of 250 items" && table["cut"]?.arrayValue == [], "\(seen)")
      let failed = table["failed"]?.arrayValue ?? []
      #expect(failed.count == 25 && failed.allSatisfy { $0.stringValue?.hasSuffix("7]") == true }, "\(seen)")
      #expect(table["item"]?.stringValue?.contains("file-249") == true && seen["console"]?.arrayValue == [], "\(seen)")
      await page.stop()
    }

    private static let lines = """
      name: lines
      steps:
        talk:
          run: 'seq 150; echo "tell $(ls | grep -c done)"; sleep 0.1; test -e done || { touch done; echo tell it >&2; exit 1; }'
          retry: { attempts: 2, delay: 20ms }
      """

    @Test(.enabled(if: hasBrowser))
    func `the log page shows the attempt of each line, links to lines, and can be searched and followed`()
      async throws
    {
      let page = try await ServedUI(["lines.yaml": Self.lines])
      _ = try page.flowrun("lines.yaml")
      let run = try #require(try page.runs().first)
      let seen = try Self.browse([page.link, "1280", "dark", "lines:/runs/\(run)"])
      let lines = seen["lines"]?.objectValue ?? [:]
      #expect(
        lines["attempts"]?.arrayValue == [["", "tell 0"], ["", "tell it"], ["attempt 2", "tell 1"]], "\(seen)")
      #expect(lines["end"] == true && lines["errors"] == 1 && lines["link"] == "#L151", "\(seen)")
      #expect(lines["aimed"] == "150" && lines["follows"] == false && lines["text"] == 303, "\(seen)")
      #expect(seen["console"]?.arrayValue == [], "\(seen)")
      await page.stop()
    }

    @Test(.enabled(if: hasBrowser)) func `the page keeps run filters in its address and shows exact times as tooltips`()
      async throws
    {
      let page = try await ServedUI([
        "good.yaml": "name: good\nsteps: { a: { uses: flow.noop } }\n",
        "bad.yaml": "name: bad\nsteps: { a: { uses: flow.fail, with: { message: no } } }\n",
      ])
      for file in ["good.yaml", "bad.yaml", "good.yaml"] { _ = try page.flowrun(file) }
      let seen = try Self.browse([page.link, "1280", "light", "history"])
      let history = seen["history"]?.objectValue ?? [:]
      #expect(history["address"]?.stringValue?.contains("state=failure") == true, "\(seen)")
      #expect(history["states"]?.arrayValue == ["✗ Failed"] && history["chosen"] == "failure", "\(seen)")
      #expect(history["exact"]?.stringValue?.hasSuffix(" UTC") == true, "\(seen)")
      await page.stop()
    }

    @Test(.enabled(if: hasBrowser))
    func `the page shows a run of 1,000 steps with at most 70 kB of code, within 300 ms in a release build`()
      async throws
    {
      let steps = (0..<1_000).map { number in
        "  s\(number): { uses: flow.\(number == 500 ? "fail, with: { message: no }" : "noop")\(number > 9 ? ", needs: s\(number - 10)" : "") }\n"
      }
      let page = try await ServedUI(["large.yaml": "name: large\nsteps:\n\(steps.joined())"])
      _ = try page.flowrun("large.yaml")
      let run = try #require(try page.runs().first)
      let seen = try Self.browse([page.link, "1280", "light", "paint:/runs/\(run)"])
      let paint = seen["paint"]?.objectValue ?? [:]
      // The fastest of five loads counts, and only on an otherwise idle machine, because loads may wait for a
      // processor.
      let times = paint["times"]?.arrayValue?.compactMap(\.numberValue) ?? []
      #expect(times.count == 5, "\(seen)")
      if TestExtent.isFull { #expect(times.min() ?? 999 <= 300, "\(seen)") }
      #expect(paint["code"]?.numberValue ?? 99_999 <= 70_000 && paint["files"] == 4, "\(seen)")
      #expect(paint["outside"]?.arrayValue == [], "\(seen)")
      await page.stop()
    }

    /// The path of axe-core, or nil if `scripts/setup test` has not installed it.
    private static let axe: String? = {
      let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
      let folder = root.appendingPathComponent(".build/test-axe").path
      let path = FileManager.default.enumerator(atPath: folder)?.first {
        ($0 as? String)?.hasSuffix("/axe.min.js") == true
      }
      return (path as? String).map { "\(folder)/\($0)" }
    }()

    private static let kinds = [
      "good.yaml": """
      name: good
      inputs: { who: { type: string, default: you }, out: { type: path, default: x }, token: { type: string, secret: true, required: false } }
      deadline: { min: 10ms, max: 10s }
      steps:
        first: { run: "printf 'one\\\\ttab\\\\n'", retry: { attempts: 2 }, env: { A: b } }
        never: { if: "inputs.who == 'x'", run: echo deep }
      """,
      "ask.yaml": "name: ask\nsteps: { ask: { uses: flow.ask, with: { question: Sure?, choices: [yes, no] } } }\n",
      "bad.yaml": "name: bad\nsteps: { a: { run: 'echo gone >&2; exit 3', retry: { attempts: 2 } } }\n",
      "broken.yaml": "name: broken\nsteps: { a: { uses: flow.nop } }\n",
      "table.yaml": table,
    ]

    @Test(.enabled(if: hasBrowser)) func `the page passes all checks of axe-core and logs nothing to the console`()
      async throws
    {
      guard TestExtent.isFull, let axe = Self.axe else { return }
      let page = try await ServedUI(Self.kinds)
      let session = try page.session()
      for file in ["good.yaml", "good.yaml", "bad.yaml", "table.yaml"] { _ = try page.flowrun(file) }
      let runs = try page.runs()
      try #require(runs.count == 4)
      let begun = try page.post("run", #"{"file":"ask.yaml","inputs":{}}"#, session)
      let asking = try #require(try JSONText.parse(begun.body).objectValue?["location"]?.stringValue)
      #expect(within(seconds: 20) { (try? page.ask(asking, session).body.contains("Sure?")) ?? false })
      let (table, bad, good) = ("/runs/\(runs[0])", "/runs/\(runs[1])", "/runs/\(runs[2])")
      let paths = [
        "/", "/?state=failure&since=24h", "/workflows/good.yaml", "/workflows/broken.yaml", asking, good, bad, table,
        "\(good)?step=first", "\(bad)?step=a", "\(table)?step=convert", "\(table)?step=convert%5B7%5D",
        "/compare?a=\(runs[3])&b=\(runs[2])", "/runs/none",
      ]
      let seen = try Self.browse(["--pages", page.link, "", axe] + paths)
      let pages = seen["pages"]?.arrayValue ?? []
      // Each page was checked in both themes and at three widths.
      #expect(pages.count == 6 * paths.count)
      for page in pages.compactMap(\.objectValue) {
        let isMissing = page["page"]?.stringValue?.hasPrefix("\(paths.count - 1)-") == true
        #expect(page["axe"]?.arrayValue == [] && page["fits"] == true, "\(page)")
        #expect(isMissing || page["console"]?.arrayValue == [], "\(page)")
      }
      await page.stop()
    }
  }
#endif
