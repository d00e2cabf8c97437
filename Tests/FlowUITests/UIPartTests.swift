#if Network
  import FlowModel
  import Foundation
  import TestSupport
  import Testing

  /// Tests the parts of pages about runs, steps and items.
  @Suite(.timeLimit(.minutes(10))) struct `Parts of a page` {
    private func text(_ page: ServedUI, _ path: String, _ session: [String]) throws -> String {
      let answer = try page.ask(path, session)
      #expect(answer.status == 200, "\(path): \(answer.body)")
      return answer.body
    }

    private static let items = """
      name: items
      inputs: { name: { type: string, default: first } }
      steps:
        list: { foreach: { items: ["${{ inputs.name }}.csv", second.csv] }, uses: flow.noop }
        made: { run: "echo 'names=[\\"from outputs\\"]' > $FLOWRUN_OUTPUT", outputs: { names: { type: array } } }
        later: { foreach: { items: "${{ steps.made.outputs.names }}" }, needs: made, uses: flow.noop }
        pairs: { foreach: { items: { one: eins, two: zwei } }, uses: flow.noop }
        axes: { foreach: { axes: { os: [linux, mac], cpu: [arm] } }, uses: flow.noop }
        files: { foreach: { files: "*.txt" }, uses: flow.noop }
      """

    @Test func `the page shows the values of items, even of files that were removed after the run`() async throws {
      let page = try await ServedUI(["items.yaml": Self.items, "a.txt": "a", "b.txt": "b"])
      let session = try page.session()
      let ran = try page.flowrun("items.yaml")
      #expect(ran.exitCode == 0, "\(ran)")
      let run = try #require(try page.runs().first)
      // The journal contains the names of items, so the remaining file is not confused with the removed one.
      try FileManager.default.removeItem(at: page.folder.appendingPathComponent("a.txt"))
      for (step, values) in [
        ("list", ["first.csv", "second.csv"]), ("later", ["from outputs"]), ("pairs", ["eins", "two"]),
        ("axes", ["linux"]), ("files", ["a.txt", "b.txt"]),
      ] {
        let body = try text(page, "/runs/\(run)?step=\(step)", session)
        for value in values { #expect(body.contains(value), "\(step): \(value): \(body)") }
        #expect(body.contains(">value</th>"), "\(step)")
      }
      let item = try text(page, "/runs/\(run)?step=list%5B1%5D", session)
      #expect(item.contains("<dt>value</dt><dd>second.csv</dd>"))
      let removed = try text(page, "/runs/\(run)?step=files%5B0%5D", session)
      #expect(removed.contains("a.txt") && !removed.contains("b.txt"), "\(removed)")
      await page.stop()
    }

    @Test func `the page has one panel for items whose failures differ only in values, numbers or paths`() async throws
    {
      let workflow = """
        name: equal
        steps:
          convert:
            foreach: { items: [sales, costs, taxes, good], fail-fast: false }
            run: 'test ${{ item }} = good || { echo "${{ item }}: bad header" >&2; exit ${{ index }}1; }'
        """
      let page = try await ServedUI(["equal.yaml": workflow])
      let session = try page.session()
      _ = try page.flowrun("equal.yaml")
      let run = try #require(try page.runs().first)
      let body = try text(page, "/runs/\(run)", session)
      #expect(body.components(separatedBy: "<article class=\"panel\"").count == 2)
      #expect(body.contains("3 items of convert") && body.contains(">convert[1] costs</a>"), "\(body)")
      #expect(body.contains("The others differ only in values, numbers or paths."))
      await page.stop()
    }

    @Test func `the page shows the outputs of many items in one panel, and their critical path in one row`()
      async throws
    {
      let files = (0..<60).map { "file-\($0)" }.joined(separator: ", ")
      let workflow = """
        name: many
        steps:
          list: { run: "exit 0" }
          convert:
            needs: list
            foreach: { items: [\(files)], fail-fast: false, parallel: 1 }
            run: |
              echo "converted ${{ item }} to another format"
              test ${{ index }} != 7 || { echo bad; echo header; exit 3; }
            retry: { attempts: 2, delay: 10ms }
        """
      let page = try await ServedUI(["many.yaml": workflow])
      let session = try page.session()
      _ = try page.flowrun("many.yaml")
      let run = try #require(try page.runs().first)
      let body = try text(page, "/runs/\(run)", session)
      let path = try #require(body.range(of: "<h2>The critical path</h2>"))
      let rows = body[path.upperBound...].components(separatedBy: ">convert</th>").count - 1
      #expect(rows == 1 && body.contains("run ") && body.contains(">✗ convert</text>"), "\(body)")
      let step = try text(page, "/runs/\(run)?step=convert", session)
      #expect(step.contains("aria-label=\"stdout\">"), "\(step)")
      let item = try text(page, "/runs/\(run)?step=convert%5B7%5D", session)
      for shown in [step, item] {
        #expect(shown.contains("exited with status 3") && !shown.contains("):<"), "\(shown)")
      }
      await page.stop()
    }

    @Test func `the page lists the workflows in subfolders, even those without runs`() async throws {
      let noop = "name: noop\nsteps: { a: { uses: flow.noop } }\n"
      let page = try await ServedUI([
        "one.yaml": noop, "jobs/two.yml": noop, "jobs/deep/three.yaml": noop, "jobs/values.yaml": "a: 1\n",
        ".hidden/four.yaml": noop, "node_modules/five.yaml": noop,
      ])
      let session = try page.session()
      let home = try text(page, "/", session)
      let cards = home.components(separatedBy: "<article class=\"card\"").count - 1
      #expect(cards == 3 && home.contains("jobs/two.yml") && home.contains("jobs/deep/three.yaml"), "\(home)")
      let begun = try page.post("run", #"{"file":"jobs/deep/three.yaml","inputs":{}}"#, session)
      #expect(begun.status == 200, "\(begun)")
      await page.stop()
    }

    private static let step = """
      name: step
      inputs: { token: { type: string, secret: true }, kind: { type: string, default: y } }
      steps:
        first: { run: sleep 0.1 }
        again:
          run: 'echo "now $TOKEN"; echo "attempt of $N"; test -e done || { touch done; echo no >&2; exit 7; }'
          needs: first
          if: "inputs.kind != 'x'"
          env: { N: two, TOKEN: "${{ inputs.token }}" }
          retry: { attempts: 2, delay: 10ms }
      """

    @Test func `the page of a step shows its command, attempts, condition, environment and earlier durations`()
      async throws
    {
      let page = try await ServedUI(["step.yaml": Self.step, "key": "s3cr3t-value"])
      let session = try page.session()
      for _ in 0..<2 { _ = try page.flowrun("step.yaml", "-i", "token=@key") }
      let run = try #require(try page.runs().last)
      let body = try text(page, "/runs/\(run)?step=again", session)
      #expect(body.contains("aria-label=\"command\">\necho &quot;now $TOKEN&quot;"), "\(body)")
      #expect(body.contains("<caption>Attempts</caption>") && body.contains("exited with status 7"))
      #expect(body.contains("inputs.kind != &#39;x&#39;") && body.contains("<dt>N</dt><dd>two</dd>"))
      #expect(body.contains("<dt>TOKEN</dt><dd>${{ inputs.token }}</dd>") && !body.contains("s3cr3t"))
      #expect(body.contains("after &#39;first&#39; had ended"))
      #expect(body.components(separatedBy: "<li><a class=\"success").count == 3, "\(body)")
      #expect(body.contains("data-ends=") && body.contains("again"))
      let log = try text(page, "/runs/\(run)/log.txt?step=again", session)
      #expect(log.contains("now ***\nattempt of two\n") && log.contains("no\n") && !log.contains("s3cr3t"), "\(log)")
      await page.stop()
    }

    @Test func `the page lists runs that match the filters in the address, 50 at a time`()
      async throws
    {
      let page = try await ServedUI([
        "good.yaml": "name: good\nsteps: { a: { uses: flow.noop } }\n",
        "bad.yaml": "name: bad\nsteps: { a: { uses: flow.fail, with: { message: no } } }\n",
      ])
      let session = try page.session()
      for _ in 0..<51 { _ = try page.flowrun("good.yaml") }
      _ = try page.flowrun("bad.yaml")
      func rows(_ query: String) throws -> Int {
        try text(page, "/" + query, session).components(separatedBy: "<th scope=\"row\"").count - 1
      }
      let all = try text(page, "/", session)
      #expect(all.contains("1 to 50 of 52 runs") && all.contains("href=\"?page=2\">older</a>"))
      #expect(try rows("") == 50 && rows("?page=2") == 2 && rows("?page=9") == 0)
      #expect(try rows("?state=failure") == 1 && rows("?workflow=bad.yaml") == 1 && rows("?state=running") == 0)
      #expect(try rows("?reason=user&since=1h&workflow=good.yaml&page=2") == 1 && rows("?reason=push") == 0)
      #expect(try text(page, "/?state=success", session).contains("href=\"?state=success&amp;page=2\">older</a>"))
      #expect(all.contains("data-tip=\"20") && all.contains(" UTC\"") && all.contains("just now"))
      #expect(try text(page, "/workflows/good.yaml", session).contains("1 to 50 of 51 runs"))
      await page.stop()
    }

    @Test func `the page shows pending questions first, then a card per workflow or its error`()
      async throws
    {
      let page = try await ServedUI([
        "ask.yaml":
          "name: ask\nsteps: { publish: { uses: flow.ask, with: { question: \"Publish 2.1?\\nReally?\", choices: [yes, no] } } }\n",
        "broken.yaml": "name: broken\nsteps: { a: { uses: flow.nop } }\n",
      ])
      let session = try page.session()
      let begun = try page.post("run", #"{"file":"ask.yaml","inputs":{}}"#, session)
      let location = try #require(try JSONText.parse(begun.body).objectValue?["location"]?.stringValue)
      #expect(within(seconds: 20) { (try? page.ask("/", session).body.contains("asks: Publish 2.1?")) ?? false })
      let home = try text(page, "/", session)
      let waits = try #require(home.range(of: "Waits for you")).lowerBound
      #expect(waits < (try #require(home.range(of: "class=\"cards\"")).lowerBound))
      #expect(home.contains("<title>? ask asks: flowrun</title>"))
      #expect(home.contains("<p class=\"refusal\">") && home.contains("flow.nop"), "\(home)")
      #expect(home.components(separatedBy: "<article class=\"card\"").count == 3)
      #expect(try text(page, location, session).contains("Publish 2.1?\nReally?"))
      await page.stop()
    }

    @Test func `a question can be answered in a text or password field, below the output of earlier steps`()
      async throws
    {
      let page = try await ServedUI([
        "ask.yaml": """
        name: ask
        steps:
          plan: { run: "echo 'will delete <3> servers'" }
          version: { needs: plan, uses: flow.ask, with: { question: Version?, text: true } }
          password: { needs: version, uses: flow.ask, with: { question: Password?, secret: true } }
        outputs: { version: "${{ steps.version.outputs.text }}" }
        """
      ])
      let session = try page.session()
      let begun = try page.post("run", #"{"file":"ask.yaml","inputs":{}}"#, session)
      let location = try #require(try JSONText.parse(begun.body).objectValue?["location"]?.stringValue)
      let run = try #require(location.split(separator: "/").last.map(String.init))
      func shows(_ text: String) -> Bool {
        within(seconds: 60) { (try? page.ask(location, session).body.contains(text)) ?? false }
      }
      #expect(shows("<input type=\"text\" name=\"choice\"") && shows("plan │ will delete &lt;3&gt; servers"))
      let answer = try page.post("answer", #"{"run":"\#(run)","step":"version","choice":"2.0 beta"}"#, session)
      #expect(answer.status == 200, "\(answer)")
      #expect(shows("<input type=\"password\" name=\"secret\""))
      let secret = try page.post("answer", #"{"run":"\#(run)","step":"password","secret":"s3same-0pen"}"#, session)
      #expect(secret.status == 200 && !secret.body.contains("s3same"), "\(secret)")
      #expect(shows("2.0 beta"))
      #expect(!(try text(page, location, session).contains("s3same")))
      await page.stop()
    }
  }
#endif
