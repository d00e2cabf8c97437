#if Network
  import FlowModel
  import FlowUI
  import Foundation
  import TestSupport
  import Testing

  /// Tests the access rules and the pages of the web server over HTTP.
  @Suite(.timeLimit(.minutes(10))) struct `The page in the browser` {
    private static let hello = """
      name: hello
      inputs: { who: { type: string, default: world } }
      steps: { greet: { run: 'echo "hello $WHO"', env: { WHO: "${{ inputs.who }}" } } }
      """

    @Test func `the page opens only with the token of the link`() async throws {
      let page = try await ServedUI(["hello.yaml": Self.hello])
      let none = try page.ask("/")
      #expect(none.status == 401 && !none.body.contains("hello"))
      #expect(try page.ask("/?token=a-token-for-testz").status == 401)
      #expect(try page.ask("/", ["-b", "flowrun-ui-\(page.port)=\(ServedUI.token)"]).status == 401)
      let opened = try page.ask("/?token=\(ServedUI.token)")
      let cookie = try #require(opened.headers["set-cookie"])
      #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && !cookie.contains(ServedUI.token))
      let session = try page.session()
      let home = try page.ask("/", session)
      #expect(home.status == 200 && home.body.contains("hello.yaml"))
      let policy = try #require(home.headers["content-security-policy"])
      #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"))
      #expect(home.headers["x-content-type-options"] == "nosniff" && home.headers["cache-control"] == "no-store")
      await page.stop()
    }

    @Test func `the UI server responds only to its own host names and to requests from its own pages`() async throws {
      let page = try await ServedUI(["hello.yaml": Self.hello])
      let session = try page.session()
      // These are names of another site that resolve to this machine.
      for host in ["attacker.example", "attacker.example:\(page.port)", "127.0.0.1:1", ""] {
        #expect(try page.ask("/", session + ["-H", "Host: \(host)"]).status != 200, "\(host)")
      }
      #expect(try page.ask("/", session + ["-H", "Host: localhost:\(page.port)"]).status == 200)
      let other = "http://attacker.example"
      #expect(try page.ask("/", session + ["-H", "Origin: \(other)"]).status == 403)
      let body = #"{"file":"hello.yaml","inputs":{}}"#
      #expect(try page.post("run", body, session, origin: other).status == 403)
      #expect(try page.post("run", body, session, origin: "null").status == 403)
      #expect(try page.post("run", body, session, token: "").status == 403)
      #expect(try page.post("run", body, session, token: String(repeating: "0", count: 64)).status == 403)
      // This request lacks a header that only pages of this server send.
      let plain = try page.ask(
        "/actions/run", session + ["-H", "Origin: http://127.0.0.1:\(page.port)", "-d", body])
      #expect(plain.status == 403)
      #expect(try page.ask("/", session + ["-X", "DELETE"]).status == 405)
      #expect(try page.runs().isEmpty)
      await page.stop()
    }

    @Test func `the UI server refuses requests with a foreign target or two Host headers, and accepts its own address`()
      async throws
    {
      let page = try await ServedUI(["hello.yaml": Self.hello])
      let session = try page.session()
      let own = "127.0.0.1:\(page.port)"
      for target in [
        "http://evil.example/", "HTTPS://evil.example:\(page.port)/", "http://evil.example",
        "http://\(own)@evil.example/",
        "http://\(own).evil.example/?token=\(ServedUI.token)", "ftp://\(own)/",
      ] {
        let forged = ["-H", "X-Flowrun-Target: /"]
        for words in [["--request-target", target], ["--request-target", target] + forged] {
          let answer = try page.ask("/", session + words)
          #expect(
            answer.status == 400 && answer.body.hasPrefix("Expected a path or an address"), "\(target): \(answer)")
        }
      }
      // The HTTP parser refuses these targets with an empty body.
      for target in ["evil.example:80", "http:/", "http:"] {
        #expect(try page.ask("/", session + ["--request-target", target]).status == 400, "\(target)")
      }
      for target in [
        "http://\(own)/", "HTTP://\(own)", "http://localhost:\(page.port)/?a=b", "/", "/?x=http://evil.example/",
      ] {
        #expect(try page.ask("/", session + ["--request-target", target]).status == 200, "\(target)")
      }
      // A client cannot set this header itself.
      #expect(try page.ask("/", session + ["-H", "X-Flowrun-Target: http://evil.example/"]).status == 200)
      let host = "Host: \(own)\\r\\n"
      let request = "GET / HTTP/1.1\\r\\n\(host)\(host)Connection: close\\r\\n\\r\\n"
      let script = "exec 3<>/dev/tcp/127.0.0.1/\(page.port); printf \"\(request)\" >&3; cat <&3"
      let answer = try Shell.run("bash -c '\(script)'")
      #expect(answer.output.hasPrefix("HTTP/1.1 400") && answer.output.contains("got 2"), "\(answer.output)")
      await page.stop()
    }

    @Test func `a session of the UI server and its open page end after a day without use`() async throws {
      let page = try await ServedUI(["hello.yaml": Self.hello])
      let session = try page.session()
      page.advance(hours: 23)
      #expect(try page.ask("/", session).status == 200)
      page.advance(hours: 23)
      // The automatic requests of an open page do not count as use.
      #expect(try page.ask("/", session + ["-H", "X-Flowrun-Update: 1"]).status == 200)
      page.advance(hours: 1)
      #expect(try page.ask("/", session).status == 401)
      let again = try page.session()
      let file = page.folder.appendingPathComponent("events").path
      let follower = try BackgroundProgram(
        ["/usr/bin/curl", "-sN", "-b", again[1], "-o", file, "http://127.0.0.1:\(page.port)/events"], log: "/dev/null")
      defer { follower.send(SIGKILL) }
      func seen(_ text: String) -> Bool {
        (try? String(contentsOfFile: file, encoding: .utf8))?.contains(text) ?? false
      }
      #expect(within(seconds: 20) { seen("retry") })
      page.advance(hours: 24)
      #expect(within(seconds: 20) { seen("event: ended") })
      await page.stop()
    }

    @Test func `with --read-only, the page cannot start runs`() async throws {
      let page = try await ServedUI(["hello.yaml": Self.hello]) { $0.isReadOnly = true }
      let session = try page.session()
      #expect(try page.post("run", #"{"file":"hello.yaml","inputs":{}}"#, session).status == 403)
      #expect(try !page.ask("/workflows/hello.yaml", session).body.contains("<form data-action"))
      await page.stop()
    }

    @Test func `text inputs on the page may begin with @ or have 200,000 characters, but must not contain NUL`()
      async throws
    {
      let page = try await ServedUI(["hello.yaml": Self.hello])
      let session = try page.session()
      let long = String(repeating: "x", count: 200_000)
      for text in ["@/etc/passwd", "\u{FEFF}mark", "\u{301}accent", "two\\nlines\\tand a tab", long] {
        let body = page.folder.appendingPathComponent("body").path
        try #"{"file":"hello.yaml","inputs":{"who":"\#(text)"}}"#.write(toFile: body, atomically: true, encoding: .utf8)
        let begun = try page.post("run", "@\(body)", session)
        let location = try #require(
          try JSONText.parse(begun.body).objectValue?["location"]?.stringValue, "\(begun.body)")
        let report = try JSONText.parse(try page.ask(location + "/report.json", session).body).objectValue
        let given = report?["inputs"]?.objectValue?["who"]?.stringValue
        #expect(given == (try JSONText.parse("\"\(text)\"").stringValue), "\(given?.prefix(40) ?? "")")
      }
      let nul = try page.post("run", #"{"file":"hello.yaml","inputs":{"who":"a\u0000b"}}"#, session)
      #expect(nul.status == 400 && nul.body.contains("NUL") && nul.body.contains(#""input":"who""#), "\(nul.body)")
      let left = try FileManager.default.contentsOfDirectory(atPath: FileManager.default.temporaryDirectory.path)
      #expect(!left.contains { $0.hasPrefix("flowrun-inputs-") })
      await page.stop()
    }

    @Test func `after a restart of the server, the new link returns to the page that was open`() async throws {
      let page = try await ServedUI(["hello.yaml": Self.hello])
      let lost = try page.ask("/runs/x?step=a%5B2%5D")
      #expect(lost.status == 401)
      let cookie = try #require(lost.headers["set-cookie"]?.split(separator: ";").first.map(String.init))
      let opened = try page.ask("/?token=\(ServedUI.token)", ["-b", cookie])
      #expect(opened.headers["refresh"] == "0; url=/runs/x?step=a%5B2%5D", "\(opened)")
      // Only the address of a page of this server is accepted.
      let name = cookie.prefix { $0 != "=" }
      for address in ["//attacker.example", "https%3A%2F%2Fattacker.example", "/runs/%22%3E", "/?token=x"] {
        let opened = try page.ask("/?token=\(ServedUI.token)", ["-b", "\(name)=\(address)"])
        #expect(opened.headers["refresh"] == "0; url=/", "\(address)")
      }
      await page.stop()
    }

    @Test func `the page shows text with line breaks, tabs and colors, and steps by name`() async throws {
      let page = try await ServedUI([
        "multi.yaml": """
        name: multi
        inputs: { body: { type: string, default: "first line\\nsecond\\tline" } }
        steps:
          show: { name: Show the body, run: "echo one\\nprintf '\\\\033[31mtwo\\\\033[0m\\\\n'" }
        """
      ])
      let session = try page.session()
      _ = try page.flowrun("multi.yaml", "--report", "page.html")
      let run = try #require(try page.runs().first)
      let report = try String(contentsOf: page.folder.appendingPathComponent("page.html"), encoding: .utf8)
      for body in [try page.ask("/runs/\(run)", session).body, report] {
        #expect(
          body.contains("first line\nsecond\tline") && body.contains("Show the body") && !body.contains("\u{FFFD}"))
      }
      let step = try page.ask("/runs/\(run)?step=show", session).body
      #expect(step.contains("<h1>Show the body</h1>") && step.contains("echo one\n"), "\(step)")
      await page.stop()
    }

    @Test func `without a deadline, the page does not show a gate, even if steps are deferred or in finally`()
      async throws
    {
      let page = try await ServedUI([
        "f1.yaml":
          "name: f1\nsteps: { bad: { run: exit 3 }, other: { run: sleep 0.2 } }\nfinally: { c: { run: echo c } }\n",
        "later.yaml": "name: later\nsteps: { a: { run: echo a }, b: { run: echo b, defer: true } }\n",
      ])
      let session = try page.session()
      for file in ["f1.yaml", "later.yaml"] {
        _ = try page.flowrun(file)
        let run = try #require(try page.runs().first)
        let body = try page.ask("/runs/\(run)", session).body
        #expect(!body.contains("<h2>Gate</h2>") && !body.contains("path to the gate") && !body.contains("launched by"))
        #expect(body.contains(#""gate":null"#))
        #expect(!(try page.flowrun("analyze", "last").output.contains("gate")))
      }
      await page.stop()
    }

    @Test func `the UI server rejects unexpected paths and requests, and never returns a file by its path`()
      async throws
    {
      let page = try await ServedUI(["hello.yaml": Self.hello, "private/secret.txt": "s3cr3t"])
      let session = try page.session()
      for path in [
        "/../../etc/passwd", "/workflows/../hello.yaml", "/workflows/%2e%2e%2fprivate%2fsecret.txt",
        "/workflows/private/secret.txt", "/workflows//etc/passwd", "/workflows/%00", "/workflows/", "/runs/..%2f..",
        "/runs/",
        "/runs/x/report.html", "/runs//events", "/app.js/../../x", "/Page/app.js", "/compare", "/compare?a=../x&b=y",
      ] {
        let answer = try page.ask(path, session)
        #expect(answer.status == 404, "\(path): \(answer.status)")
        #expect(!answer.body.contains("s3cr3t") && !answer.body.contains("root:"), "\(path)")
      }
      let file = #"{"file":"../hello.yaml","inputs":{}}"#
      #expect(try page.post("run", file, session).status == 400)
      let option = try page.post("run", #"{"file":"hello.yaml","inputs":{"--report":"x"}}"#, session)
      #expect(option.status == 400)
      #expect(try page.post("run", "[", session).status == 400)
      let long = page.folder.appendingPathComponent("long").path
      try String(repeating: "x", count: 5_000_000).write(toFile: long, atomically: true, encoding: .utf8)
      #expect(try page.post("run", "@\(long)", session).status == 413)
      #expect(try page.runs().isEmpty)
      await page.stop()
    }

    private static let hostile = """
      name: "<script>alert(1)"
      outputs: { all: "${{ steps.a.outputs.text }}" }
      steps:
        a:
          name: "<img src=x onerror=alert(2)>"
          run: |
            echo '</script><script>alert(3)</script>'
            echo 'text="><script>alert(4)</script>' > "$FLOWRUN_OUTPUT"
          outputs: { text: { type: string } }
        b: { run: "echo '<script>alert(5)</script>' >&2; exit 1", optional: true }
      """

    @Test func `the page shows names and output of workflows as text, not as HTML`() async throws {
      let page = try await ServedUI(["<b>.yaml": Self.hostile])
      let session = try page.session()
      _ = try page.flowrun("<b>.yaml")
      let run = try #require(try page.runs().first)
      for path in ["/", "/workflows/%3Cb%3E.yaml", "/runs/\(run)", "/runs/\(run)?step=a", "/runs/\(run)?step=b"] {
        let answer = try page.ask(path, session)
        #expect(answer.status == 200, "\(path)")
        #expect(
          !answer.body.contains("<script>alert") && !answer.body.contains("<img") && !answer.body.contains("<b>.y"),
          "\(path)")
      }
      await page.stop()
    }

    @Test func `the UI server continues to respond despite idle connections and an overlong request`() async throws {
      let page = try await ServedUI(["hello.yaml": Self.hello]) { ($0.connections, $0.followers) = (64, 2) }
      let session = try page.session()
      // These clients open connections and remain idle.
      let count = TestExtent.count(usual: 500, release: 10_000, long: 10_000)
      let crowd = """
        import socket
        kept = []
        for number in range(\(count)):
            client = socket.create_connection(("127.0.0.1", \(page.port)), 10)
            kept.append(client)
            if len(kept) > 400: kept.pop(0).close()
        import subprocess, sys
        print(subprocess.run(sys.argv[1:], capture_output=True, text=True).stdout)
        """
      let script = page.folder.appendingPathComponent("crowd.py").path
      try crowd.write(toFile: script, atomically: true, encoding: .utf8)
      let served = try Shell.run(
        "python3 '\(script)' curl -s --max-time 20 -b '\(session[1])' http://127.0.0.1:\(page.port)/")
      #expect(served.output.contains("hello.yaml"), "\(served.output)")
      for _ in 0..<4 {
        let events = try page.ask("/events", session + ["--max-time", "1"])
        #expect(events.status == 200)
      }
      #expect(try page.ask("/", session).status == 200)
      let long = try page.ask("/?x=" + String(repeating: "y", count: 90_000), session)
      #expect(long.status != 200)
      #expect(try page.ask("/", session).status == 200)
      await page.stop()
    }

    @Test func `the UI server sends each line of a log once, even to a slow reader that reconnects`() async throws {
      let count = TestExtent.count(usual: 20_000, release: 100_000, long: 100_000)
      let page = try await ServedUI(["log.yaml": "name: log\nsteps: { print: { run: seq \(count) } }\n"])
      let session = try page.session()
      _ = try page.flowrun("log.yaml")
      let run = try #require(try page.runs().first)
      var (lines, id): ([String], String?) = ([], nil)
      func take(_ text: String) throws {
        for event in text.components(separatedBy: "\n\n").dropLast() where event.hasPrefix("event: log\n") {
          let fields = event.split(separator: "\n")
          id = String(fields[1].dropFirst("id: ".count))
          let entries = try JSONText.parse(String(fields[2].dropFirst("data: ".count))).arrayValue ?? []
          lines += entries.compactMap { $0.arrayValue?.last?.stringValue }
        }
      }
      // The connection is cut in the middle of the log.
      let address = "http://127.0.0.1:\(page.port)/runs/\(run)/events"
      try take(
        try Shell.run("curl -sN --max-time 20 --limit-rate 200k -b '\(session[1])' '\(address)' | head -c 300000")
          .output)
      #expect((1..<count).contains(lines.count), "\(lines.count) lines")
      for _ in 0..<40 where lines.count < count {
        let words = ["-N", "-H", "Last-Event-ID: \(id ?? "")", "--limit-rate", "1M", "--max-time", "3"]
        try take(try page.ask("/runs/\(run)/events", session + words).body)
      }
      #expect(lines == (1...count).map(String.init), "\(lines.count) lines")
      await page.stop()
    }

    @Test func `the page starts a run as the command line does, and the run is recorded`() async throws {
      let page = try await ServedUI(["flows/hello.yaml": Self.hello])
      // The server finds the folder only after it contains a run.
      _ = try page.flowrun("flows/hello.yaml")
      let session = try page.session()
      let begun = try page.post("run", #"{"file":"flows/hello.yaml","inputs":{"who":"<you>"}}"#, session)
      #expect(begun.status == 200, "\(begun.body)")
      let location = try #require(try JSONText.parse(begun.body).objectValue?["location"]?.stringValue)
      #expect(within(seconds: 20) { (try? page.ask(location, session).body.contains("Succeeded")) ?? false })
      let report = try JSONText.parse(try page.ask(location + "/report.json", session).body).objectValue
      #expect(report?["inputs"]?.objectValue?["who"]?.stringValue == "<you>")
      let download = try page.ask(location + "/report.html", session)
      #expect(
        download.headers["content-disposition"]?.hasPrefix("attachment") == true && download.body.contains("Succeeded"))
      let trace = try JSONText.parse(try page.ask(location + "/trace.json", session).body).objectValue
      let bars =
        trace?["traceEvents"]?.arrayValue?.compactMap(\.objectValue).filter { $0["ph"]?.stringValue == "X" } ?? []
      #expect(bars.map { $0["name"]?.stringValue } == ["greet"] && bars.allSatisfy { $0["dur"]?.numberValue ?? 0 > 0 })
      let wrong = try page.post("run", #"{"file":"flows/hello.yaml","inputs":{"whom":"x"}}"#, session)
      #expect(wrong.status == 400 && wrong.body.contains("whom"))
      await page.stop()
    }

    @Test func `the page shows a forecast, a workflow without runs, and why a large graph is not drawn`()
      async throws
    {
      let large = "name: large\nsteps:\n" + (0..<201).map { "  s\($0): { uses: flow.noop }\n" }.joined()
      let page = try await ServedUI([
        "hello.yaml": Self.hello, "large.yaml": large, "new.yaml": "name: new\nsteps: { a: { run: echo } }\n",
        "given.yaml": "name: given\ninputs: { who: { type: string } }\nsteps: { a: { uses: flow.noop } }\n",
      ])
      let session = try page.session()
      for words in [
        ["hello.yaml"], ["hello.yaml"], ["given.yaml", "-i", "who=x"], ["given.yaml", "-i", "who=y"], ["large.yaml"],
      ] { _ = try FlowrunProcess.run(words, in: page.folder.path) }
      #expect(try page.ask("/workflows/hello.yaml", session).body.contains("1000 simulated runs"))
      // For an input without a default, the forecast uses the value of the newest run.
      let given = try page.ask("/workflows/given.yaml", session)
      #expect(given.body.contains("simulated runs") && given.body.contains("with &#39;who&#39; as in the newest run"))
      #expect(try page.ask("/workflows/new.yaml", session).status == 200)
      let runs = try page.runs()
      #expect(try page.ask("/runs/\(runs[0])", session).body.contains("this run has 201"))
      let two = try page.ask("/compare?a=\(runs[1])&b=\(runs[0])", session)
      #expect(two.status == 400)
      #expect(two.body.contains("two workflows, &#39;given&#39; and &#39;large&#39;"), "\(two.body)")
      await page.stop()
    }

    @Test func `the page shows when a workflow is ready, even if most of its runs never became ready`() async throws {
      let page = try await ServedUI([
        "gated.yaml": "name: gated\ndeadline: 9s\nsteps: { a: { run: 'test -e good' } }\n"
      ])
      let session = try page.session()
      _ = try page.flowrun("gated.yaml")
      _ = try page.flowrun("gated.yaml")
      try Data().write(to: page.folder.appendingPathComponent("good"))
      _ = try page.flowrun("gated.yaml")
      let shown = try page.ask("/workflows/gated.yaml", session)
      #expect(shown.status == 200 && shown.body.contains("When everything is ready"), "\(shown.body)")
      await page.stop()
    }

    private static let waiting = """
      name: waiting
      events: [go]
      inputs: { count: { type: integer, default: 1 } }
      steps:
        first: { uses: flow.noop }
        hold: { run: echo went, after: go }
        ask: { uses: flow.ask, with: { question: "Publish <it>?", choices: [yes, no] }, needs: first }
      """

    @Test func `the page can post an event, answer a question of a run, and cancel the run`() async throws {
      let page = try await ServedUI(["waiting.yaml": Self.waiting])
      let session = try page.session()
      let bad = try page.post("run", #"{"file":"waiting.yaml","inputs":{"count":"many"}}"#, session)
      #expect(bad.status == 400 && bad.body.contains("count"), "\(bad.body)")
      func start() throws -> String {
        let begun = try page.post("run", #"{"file":"waiting.yaml","inputs":{}}"#, session)
        return try #require(try JSONText.parse(begun.body).objectValue?["location"]?.stringValue, "\(begun.body)")
      }
      let location = try start()
      let run = String(location.dropFirst("/runs/".count))
      #expect(within(seconds: 20) { (try? page.ask(location, session).body.contains("Publish &lt;it&gt;?")) ?? false })
      let shown = try page.ask(location, session).body
      #expect(shown.contains("Post go") && shown.contains(">Cancel<") && shown.contains("in progress"))
      #expect(try page.post("post", #"{"run":"\#(run)","event":"come"}"#, session).status == 409)
      #expect(try page.post("post", #"{"run":"\#(run)","event":"go"}"#, session).status == 200)
      #expect(try page.post("answer", #"{"run":"\#(run)","step":"ask","choice":"yes"}"#, session).status == 200)
      #expect(within(seconds: 20) { (try? page.ask(location, session).body.contains("Succeeded")) ?? false })
      let second = try start()
      let cancelled = try page.post("cancel", #"{"run":"\#(second.dropFirst("/runs/".count))"}"#, session)
      #expect(cancelled.status == 200, "\(cancelled.body)")
      #expect(within(seconds: 20) { (try? page.ask(second, session).body.contains("Cancelled")) ?? false })
      await page.stop()
    }

    @Test func `the UI server limits the number of runs that it starts, and cancels them when it ends`() async throws {
      let page = try await ServedUI(["waiting.yaml": Self.waiting]) { $0.runs = 1 }
      let session = try page.session()
      let body = #"{"file":"waiting.yaml","inputs":{}}"#
      #expect(try page.post("run", body, session).status == 200)
      let second = try page.post("run", body, session)
      #expect(second.status == 409 && second.body.contains("in progress"))
      // The run has asked its question, so it is past its start, during which a signal would end it immediately.
      #expect(
        within(seconds: 20) {
          guard let run = try? page.runs().first else { return false }
          return (try? page.ask("/runs/\(run)", session).body.contains("Publish &lt;it&gt;?")) ?? false
        })
      let folder = page.folder.path
      let copy = folder + "-kept"
      defer { try? FileManager.default.removeItem(atPath: copy) }
      await page.stop(keeping: copy)
      let list = try FlowrunProcess.run(["runs", "--json"], in: copy)
      #expect(list.output.contains("\"cancelled\""), "\(list.output)")
    }

    @Test func `the page opens with the link that flowrun ui prints`() throws {
      let tool = FileManager.default.temporaryDirectory.appendingPathComponent("flowrun-ui-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: tool, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: tool) }
      let process = try FlowrunProcess(["ui", "--port", "0"], in: tool.path)
      #expect(process.waitForOutput("Ctrl-C"))
      let link = process.outputSoFar.split(separator: " ").first { $0.hasPrefix("http://127.0.0.1:") } ?? ""
      let opened = try Shell.run("curl -s -L -c '\(tool.path)/jar' '\(link.prefix { !$0.isNewline })'")
      #expect(opened.output.contains("Open flowrun"), "\(process.outputSoFar) \(opened.output)")
      process.send(SIGINT)
      #expect(process.result(limitSeconds: 20).exitCode == 0)
      for (words, message) in [
        (["ui", "--listen", "0.0.0.0"], "--token-file"), (["ui", "missing"], "is not a folder"),
        (["ui", "--public-url", "x"], "--public-url"),
      ] {
        let refused = try FlowrunProcess.run(words, in: tool.path, limitSeconds: 20)
        #expect(refused.exitCode == 64 && refused.errors.contains(message), "\(refused)")
      }
    }

    @Test func `the page needs at most 70 kB of local files`() {
      #expect(UIAsset.bytes <= 70_000)
    }
  }
#endif
