import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `A workflow as a step` {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  private static let ending = """
    name: last
    concurrency: 2
    steps:
      q: { uses: flow.noop }

    """

  @Test func `the workflows on the page about includes print the output shown there`() throws {
    let page = try String(contentsOfFile: Self.root + "/docs/includes.md", encoding: .utf8)
    let files = page.matches(of: /(?s)`([a-z]+.yaml)`:\n\n```yaml\n(.*?)```/)
    #expect(files.count == 4)
    let folder = try WorkflowFolder(
      Dictionary(uniqueKeysWithValues: files.map { (String($0.output.1), String($0.output.2)) }))
    #expect(try folder.run("pictures.yaml").output.contains("made: a.png, b.png, c.png"))
    let run = try folder.run("main.yaml")
    #expect(run.output.contains("built app of app.o"), "\(run.output)")
    #expect(run.steps.keys.sorted() == ["build", "build/", "build/compile", "build/link", "tell"])
    let tree = page.matches(of: /(?s)`(tree\/[a-z\/]+\.yaml)`:\n\n```yaml\n(.*?)```/)
    #expect(tree.count == 2)
    let others = try WorkflowFolder(
      Dictionary(uniqueKeysWithValues: tree.map { (String($0.output.1), String($0.output.2)) }))
    try others.write("", to: "tree/shared/parts/x")
    let output = try others.flowrun("tree/main.yaml").text
    for line in try #require(page.firstMatch(of: /(?s)```text\n(own: .*?)```/)).output.1.split(separator: "\n") {
      #expect(output.contains(line), "\(output)")
    }
  }

  private static let bad =
    "name: bad\nsteps:\n  a: { uses: flow.fail, with: { message: no } }\n  b: { uses: flow.noop, needs: a }\n"

  @Test func `an include does not run dependents of disabled steps early, and reports why steps are skipped`()
    throws
  {
    let folder = try WorkflowFolder([
      "part.yaml": """
      name: part
      steps:
        out: { uses: flow.noop, enabled: false }
        behind: { uses: shell.run, needs: out, with: { command: "cat done" } }
        always: { uses: flow.noop, needs: behind, if: always() }
        deeper: { uses: ./deep.yaml, enabled: false }

      """,
      "deep.yaml": """
      name: deep
      steps:
        out: { uses: flow.noop, enabled: false }
        b: { uses: flow.noop, needs: out }

      """,
      "main.yaml": """
      name: main
      steps:
        first: { uses: shell.run, with: { command: "echo so > done" } }
        part: { uses: ./part.yaml, needs: first }
        bad: { uses: flow.fail, with: { message: no } }
        never: { uses: ./part.yaml, needs: bad }
        not-now: { uses: ./part.yaml, if: false }

      """,
    ])
    let run = try folder.run("main.yaml")
    func ends(_ prefix: String) -> [String] {
      ["out", "behind", "always", "deeper", "deeper/out", "deeper/b"].map {
        let step = run.steps[prefix + "/" + $0] ?? [:]
        return step["reason"] as? String ?? step["outcome"] as? String ?? "?"
      }
    }
    #expect(ends("part") == ["disabled", "success", "success", "disabled", "disabled", "disabled"])
    #expect(ends("never") == Array(repeating: "upstream-failed", count: 6))
    #expect(ends("not-now") == Array(repeating: "condition", count: 6))
  }

  @Test func `an include concludes like a run of its file, even if a step inside handles a failure`() throws {
    let folder = try WorkflowFolder([
      "bad.yaml": Self.bad,
      "taken.yaml": Self.bad.replacing("needs: a }", with: "needs: a, if: failure() }"),
      "always.yaml": Self.bad.replacing("needs: a }", with: "needs: a, if: always() }"),
      "excused.yaml": Self.bad.replacing("no } }", with: "no }, optional: true }"),
      "main.yaml": """
      name: main
      steps:
        bad: { uses: ./bad.yaml }
        after: { uses: flow.noop, needs: bad }
        caught: { uses: flow.noop, needs: bad, if: failure() }
        optional: { uses: ./bad.yaml, optional: true }
        goes-on: { uses: flow.noop, needs: optional }
        taken: { uses: ./taken.yaml }
        always: { uses: ./always.yaml }
        deploy: { uses: flow.noop, needs: [taken] }
        excused: { uses: ./excused.yaml }
      """,
    ])
    let run = try folder.run("main.yaml")
    #expect(run.conclusion == "failure")
    let outcomes = run.steps.mapValues { $0["outcome"] as? String }
    #expect(outcomes["bad"] == "failure" && outcomes["bad/b"] == "skipped" && outcomes["after"] == "skipped")
    #expect(outcomes["caught"] == "success" && outcomes["goes-on"] == "success" && outcomes["excused"] == "success")
    #expect(outcomes["taken/b"] == "success" && outcomes["taken"] == "failure" && outcomes["deploy"] == "skipped")
    #expect(outcomes["always/b"] == "success" && outcomes["always"] == "failure")
    #expect(run.output.contains("step 'a' of the included workflow failed"), "\(run.output)")
    try folder.write("name: main\nsteps:\n  optional: { uses: ./bad.yaml, optional: true }\n", to: "optional.yaml")
    #expect(try folder.run("optional.yaml").conclusion == "partial")
  }

  @Test func `all steps of an include are skipped if the including step is skipped`() throws {
    let folder = try WorkflowFolder([
      "deep.yaml": "name: deep\nsteps:\n  d: { uses: flow.noop }\n",
      "inner.yaml": "name: inner\nsteps:\n  a: { uses: flow.noop }\n  b: { uses: ./deep.yaml, needs: a }\n",
      "main.yaml": """
      name: main
      inputs: { go: { type: boolean, default: false } }
      steps:
        off: { uses: ./inner.yaml, if: inputs.go }
        out: { uses: ./inner.yaml, enabled: false }
        on: { uses: flow.noop, needs: [off, out] }
      """,
    ])
    let run = try folder.run("main.yaml")
    #expect(run.conclusion == "success")
    for id in ["off", "off/", "off/a", "off/b", "off/b/", "off/b/d"] {
      #expect(run.steps[id]?["reason"] as? String == "condition", "\(id)")
    }
    #expect(run.steps["out/b/d"]?["reason"] as? String == "disabled")
    #expect(run.steps["on"]?["outcome"] as? String == "success")
  }

  @Test func `an include does not share events or queues with other includes`() throws {
    let inner = """
      name: inner
      events: [done]
      queues: { one: { qos: utility, width: 1 } }
      steps:
        tell: { uses: flow.post, queue: one, with: { event: done } }
        hear: { uses: flow.noop, needs: tell, after: done }
      """
    let folder = try WorkflowFolder([
      "sub/inner.yaml": inner,
      "main.yaml": """
      name: main
      steps:
        x: { uses: ./sub/inner.yaml }
        y: { uses: ./sub/inner.yaml, needs: x }
        z: { uses: flow.noop, needs: x, after: y/done }
      """,
    ])
    let run = try folder.run("main.yaml")
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.contains("event x/done") && run.output.contains("event y/done"))
    #expect(run.steps["x/tell"]?["queue"] as? String == "x/one")
  }

  @Test func `errors in an included file, or in the step that includes it, are reported`() throws {
    let folder = try WorkflowFolder([
      "inner.yaml": "name: inner\ninputs: { target: { type: string } }\nsteps:\n  a: { uses: flow.noop }\n",
      "broken.yaml": "name: broken\nsteps:\n  q: { uses: flow.nop }\n",
      "gated.yaml": "name: gated\ndeadline: 3s\nsteps:\n  q: { uses: flow.noop }\n",
      "one.yaml": "name: one\nsteps:\n  x: { uses: ./two.yaml }\n",
      "two.yaml": "name: two\nsteps:\n  y: { uses: ./one.yaml }\n",
      "main.yaml": """
      name: main
      steps:
        a: { uses: ./inner.yaml, with: { target: [1] } }
        b: { uses: ./inner.yaml }
        c: { uses: ./nowhere.yaml }
        d: { uses: ./broken.yaml }
        e: { uses: ./gated.yaml }
        f: { uses: ./inner.yaml, with: { target: x }, retry: { attempts: 2 } }
        g: { uses: ./inner.yaml, with: { target: x }, foreach: [1], prewarm: true }
        h: { uses: ./pipe.yaml }
        i: { uses: ./last.yaml, queue: utility }
      """,
      "last.yaml": Self.ending,
    ])
    // The pipe has no writer, so reading it would block.
    #expect(mkfifo(folder.url.appendingPathComponent("pipe.yaml").path, 0o600) == 0)
    let (text, status) = try folder.flowrun("validate", "main.yaml")
    #expect(status == 2)
    for part in [
      "main.yaml:3:44: error: the input 'target' of 'inner.yaml' is invalid",
      "step 'b' lacks the input 'target' of 'inner.yaml'", "there is no file 'nowhere.yaml' that can be read",
      "broken.yaml:3:14: error: step 'q' uses 'flow.nop'", "it has 'deadline' (line 2)",
      "cannot use './last.yaml': the step has a 'queue', and 'last.yaml' a 'concurrency'",
      "::: inner.yaml:", "'target' is declared here",
      "there is no file 'pipe.yaml' that can be read", "and cannot have 'retry'",
      "and cannot have 'prewarm'",
    ] { #expect(text.contains(part), "\(part)\nis not in\n\(text)") }
    let circle = try folder.flowrun("validate", "one.yaml").text
    #expect(circle.contains("the files include each other: one.yaml → two.yaml → one.yaml"))
  }

  @Test func `a concurrency limit applies to the steps and includes of its file, but to no others`() throws {
    let three = (0..<3).map { "  s\($0): { run: \"echo $$ > s\($0); sleep 0.05\" }\n" }.joined()
    let folder = try WorkflowFolder([
      "limited.yaml": "name: limited\nconcurrency: 1\nsteps:\n\(three)  deep: { uses: ./deep.yaml }\n",
      "deep.yaml": "name: deep\nsteps:\n\(three)",
      "queued.yaml": "name: queued\nconcurrency: 1\nsteps:\n  a: { run: 'true', queue: utility }\n",
      "twice.yaml": "name: twice\nconcurrency: 2\nsteps:\n  a: { uses: ./limited.yaml }\n",
      "main.yaml": "name: main\nsteps:\n\(three)  part: { uses: ./limited.yaml }\n",
      "wrong.yaml": "name: wrong\nsteps:\n  a: { uses: ./queued.yaml }\n  b: { uses: ./twice.yaml }\n",
    ])
    let run = try folder.run("main.yaml")
    #expect(run.conclusion == "success", "\(run.output)")
    let times = run.steps.filter { $0.key.hasPrefix("part/") && $0.key.contains(/s[0-9]$/) }.values.map { step in
      (start: step["startedAt"] as? Double ?? 0, end: step["endedAt"] as? Double ?? 0)
    }.sorted { $0.start < $1.start }
    #expect(times.count == 6)
    for (one, next) in zip(times, times.dropFirst()) { #expect(one.end <= next.start) }
    #expect(run.steps["part/deep/s1"]?["queue"] as? String == "part/")
    #expect(run.steps["s1"]?["queue"] as? String == "user-initiated")
    let text = try folder.flowrun("validate", "wrong.yaml").text
    #expect(text.contains("it has a 'concurrency', and 'queued.yaml' steps with a 'queue'"), "\(text)")
    #expect(text.contains("it has a 'concurrency', and so has 'limited.yaml' inside"), "\(text)")
  }

  @Test func `the finally of an include reads only the include's steps, ignores the gate and does not handle failures`()
    throws
  {
    let folder = try WorkflowFolder([
      "part.yaml": """
      name: part
      inputs: { status: { type: string } }
      steps:
        one: { run: 'exit "$S"', env: { S: "${{ inputs.status }}" } }
        two: { uses: flow.noop, needs: one }
        deeper: { uses: ./deep.yaml, needs: one }
      finally:
        clean: { uses: flow.log, with: { message: "${{ run.conclusion }} of ${{ toJSON(run.failures.*.step) }}" } }
        when-bad: { uses: flow.noop, if: failure() }

      """,
      "deep.yaml": """
      name: deep
      steps: { a: { uses: flow.noop } }
      finally: { last: { uses: flow.noop } }

      """,
      "main.yaml": """
      name: main
      deadline: { max: 1m }
      steps:
        good: { uses: ./part.yaml, with: { status: "0" } }
        bad: { uses: ./part.yaml, with: { status: "3" }, optional: true }
        out: { uses: ./part.yaml, if: false, with: { status: "0" } }
        behind: { uses: flow.noop, needs: good }

      """,
    ])
    let run = try folder.run("main.yaml")
    func end(_ step: String) -> String {
      let step = run.steps[step] ?? [:]
      return step["reason"] as? String ?? step["outcome"] as? String ?? "?"
    }
    #expect(run.output.contains("good/clean: success of []"), "\(run.output)")
    #expect(run.output.contains("failure of [\n") && run.output.contains("\"one\""), "\(run.output)")
    #expect(["good/clean", "good/when-bad", "behind"].map(end) == ["success", "condition", "success"])
    #expect(["bad/clean", "bad/when-bad", "bad"].map(end) == ["success", "success", "failure"])
    #expect(end("bad/two") == "upstream-failed")
    #expect(["out/clean", "out", "bad/deeper/last"].map(end) == ["condition", "condition", "upstream-failed"])
    let times = ["good/deeper/last", "good/clean", "good"].map { run.steps[$0]?["endedAt"] as? Double ?? .infinity }
    #expect(times[0] <= times[1] && times[1] <= times[2])
    // No step of the file waits for the gate, which waits for the dependents of the include.
    #expect(run.conclusion == "partial")
    let wrong = try WorkflowFolder(["a.yaml": "name: a\nsteps: { s: { uses: flow.noop } }\n"])
    try wrong.write(
      "name: w\nsteps: { s: { uses: flow.noop } }\nfinally: { b: { uses: ./a.yaml } }\n", to: "w.yaml")
    #expect(try wrong.flowrun("validate", "w.yaml").text.contains("'b' of 'finally' cannot include a workflow"))
  }

  @Test func `if a run times out, an include's finally runs before the run's own`() throws {
    let folder = try WorkflowFolder([
      "part.yaml": """
      name: part
      steps: { long: { run: sleep 600 } }
      finally: { clean: { run: 'echo inner >> log' } }

      """,
      "main.yaml": """
      name: main
      timeout: 300ms
      cleanup: 1m
      steps: { part: { uses: ./part.yaml } }
      finally: { end: { run: 'echo outer >> log' } }

      """,
    ])
    #expect(try folder.run("main.yaml").conclusion == "failure")
    #expect(try String(contentsOf: folder.url.appendingPathComponent("log"), encoding: .utf8) == "inner\nouter\n")
  }

  @Test func `an include uses variables from the env-file in its own folder`() throws {
    let folder = try WorkflowFolder([
      "parts/part.yaml": """
      name: part
      env-file: .env
      env: { OWN: stated }
      steps: { show: { run: 'echo "$OWN $FROM_FILE ${WHOLE-none}"' } }
      outputs: { text: "${{ steps.show.outputs.stdout }} and ${{ env.FROM_FILE }}" }

      """,
      "parts/.env": "FROM_FILE=read\nOWN=file\n", ".env": "WHOLE=whole\n",
      "main.yaml": """
      name: main
      env-file: .env
      steps: { part: { uses: ./parts/part.yaml } }
      outputs: { text: "${{ steps.part.outputs.text }}" }

      """,
    ])
    let run = try folder.run("main.yaml")
    #expect(run.output.contains("part/show: stated read none"), "\(run.output)")
    #expect(run.output.contains("text: stated read none and read"), "\(run.output)")
    try FileManager.default.removeItem(at: folder.url.appendingPathComponent("parts/.env"))
    let missing = try folder.flowrun("main.yaml")
    #expect(missing.status == 2 && missing.text.contains("parts/.env"), "\(missing)")
  }

  @Test func `the including file must provide the handles that an include requires but does not provide`() throws {
    let folder = try WorkflowFolder([
      "put.yaml": """
      name: put
      steps: { put: { uses: storage.values, with: { scope: configuration } } }

      """,
      "wrong.yaml": "name: wrong\nsteps: { put: { uses: ./put.yaml } }\n",
      "main.yaml": """
      name: main
      steps:
        open: { uses: storage.open, with: { path: a.sqlite } }
        put: { uses: ./put.yaml, needs: open }

      """,
    ])
    let wrong = try folder.flowrun("validate", "wrong.yaml")
    #expect(
      wrong.status == 2 && wrong.text.contains("wrong.yaml:2:23: error: step 'put' requires the handle"), "\(wrong)")
    let right = try folder.flowrun("validate", "main.yaml")
    #expect(right.status == 0, "\(right)")
    #expect(try folder.run("main.yaml").conclusion == "success")
  }

  @Test func `the graph shows an include as a box`() throws {
    let folder = try WorkflowFolder([
      "deep.yaml": "name: deep\nsteps: { x: { uses: flow.noop } }\n",
      "part.yaml": "name: part\nsteps: { deep: { uses: ./deep.yaml } }\n",
      "main.yaml": "name: main\nsteps: { a: { uses: flow.noop }, part: { uses: ./part.yaml, needs: a } }\n",
    ])
    let mermaid = try folder.flowrun("graph", "main.yaml", "--format", "mermaid").text
    #expect(
      mermaid.split(separator: "\n").map { $0.prefix { $0 != "<" } }.prefix(12).joined(separator: "\n") == """
        flowchart TD
          s0["a
          subgraph b1["part"]
            s1["part
            s2["part/
            subgraph b2["part/deep"]
              s3["part/deep
              s4["part/deep/
              s5["part/deep/x
            end
          end
          s2 --> s1
        """, "\(mermaid)")
    let dot = try folder.flowrun("graph", "main.yaml", "--format", "dot").text
    #expect(dot.contains("  subgraph \"cluster_include_part\" {\n    label=\"part\";\n"), "\(dot)")
    #expect(dot.contains("    subgraph \"cluster_include_part/deep\" {\n"), "\(dot)")
    let json = try folder.flowrun("graph", "main.yaml", "--format", "json").text
    let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    let steps = object?["steps"] as? [[String: Any]] ?? []
    let boxes = steps.map { $0["include"] as? String ?? "-" }
    #expect(boxes == ["-", "part", "part", "part/deep", "part/deep", "part/deep"])
  }

  @Test func `includes can be nested up to eight files deep`() throws {
    var files: [String: String] = [:]
    for depth in 1...9 {
      let step = depth == 9 ? "flow.noop" : "./d\(depth + 1).yaml"
      files["d\(depth).yaml"] = "name: d\(depth)\nsteps:\n  s: { uses: \(step) }\n"
    }
    let folder = try WorkflowFolder(files)
    #expect(try folder.flowrun("validate", "d2.yaml").status == 0)
    let (text, status) = try folder.flowrun("validate", "d1.yaml")
    #expect(status == 2 && text.contains("files include each other more than 8 deep"))
  }

  @Test func `a resume keeps finished steps of an include, and flowrun runs show uses the recorded file`() throws {
    let folder = try WorkflowFolder([
      "inner.yaml":
        "name: inner\nsteps:\n  a: { uses: flow.noop }\n  b: { uses: shell.run, needs: a, with: { command: 'test -e ok' } }\n",
      "main.yaml": "name: main\nsteps:\n  x: { uses: ./inner.yaml }\n",
    ])
    #expect(try folder.run("main.yaml").conclusion == "failure")
    try folder.write("", to: "ok")
    let (text, status) = try folder.flowrun("resume", "last")
    #expect(status == 0 && text.contains("kept: x/, x/a"), "\(text)")
    // The file now begins with another step, but the report of the run uses the recorded steps.
    try folder.write("name: inner\nsteps:\n  z: { uses: flow.noop }\n  a: { uses: flow.noop }\n", to: "inner.yaml")
    #expect(try folder.flowrun("runs", "show", "last").text.contains("x/b"))
  }
}
