import Foundation
import TestSupport
import Testing

/// Workflows that are steps of others, as the command runs them.
@Suite(.timeLimit(.minutes(2))) struct `A workflow as a step` {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  private static let ending = """
    name: last
    steps:
      q: { uses: flow.noop }
    finally:
      r: { uses: flow.noop }

    """

  private struct Outcome {
    var output: String
    var status: Int32
    var steps: [String: [String: Any]]
    var conclusion: String
  }

  private final class Folder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("flowrun-\(UInt64.random(in: 0 ... .max))")

    init(_ files: [String: String]) throws {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      for (name, text) in files { try write(text, to: name) }
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ text: String, to name: String) throws {
      let file = url.appendingPathComponent(name)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
    }

    func flowrun(_ arguments: String...) throws -> (text: String, status: Int32) {
      let result = try FlowrunProcess.run(arguments, in: url.path)
      return (result.output + result.errors, result.exitCode)
    }

    func run(_ file: String) throws -> Outcome {
      let (text, status) = try flowrun(file, "--report", "report.json")
      let data = try Data(contentsOf: url.appendingPathComponent("report.json"))
      let report = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
      return Outcome(
        output: text, status: status, steps: report["steps"] as? [String: [String: Any]] ?? [:],
        conclusion: report["conclusion"] as? String ?? "")
    }
  }

  @Test func `prints what its page shows`() throws {
    let page = try String(contentsOfFile: Self.root + "/docs/includes.md", encoding: .utf8)
    let files = page.matches(of: /(?s)`([a-z]+.yaml)`:\n\n```yaml\n(.*?)```/)
    #expect(files.count == 2)
    let folder = try Folder(
      Dictionary(uniqueKeysWithValues: files.map { (String($0.output.1), String($0.output.2)) }))
    let run = try folder.run("main.yaml")
    #expect(run.output.contains("built app of app.o"), "\(run.output)")
    #expect(run.steps.keys.sorted() == ["build", "build/", "build/compile", "build/link", "tell"])
  }

  private static let bad =
    "name: bad\nsteps:\n  a: { uses: flow.fail, with: { message: no } }\n  b: { uses: flow.noop, needs: a }\n"

  @Test func `a step that is out lets nothing inside run before its include, and takes its reason when it is skipped`()
    throws
  {
    let folder = try Folder([
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

  @Test func `fails where a failure inside was not taken up, and only there`() throws {
    let folder = try Folder([
      "bad.yaml": Self.bad,
      "taken.yaml": Self.bad.replacing("needs: a }", with: "needs: a, if: failure() }"),
      "main.yaml": """
      name: main
      steps:
        bad: { uses: ./bad.yaml }
        after: { uses: flow.noop, needs: bad }
        caught: { uses: flow.noop, needs: bad, if: failure() }
        optional: { uses: ./bad.yaml, optional: true }
        goes-on: { uses: flow.noop, needs: optional }
        taken: { uses: ./taken.yaml }
      """,
    ])
    let run = try folder.run("main.yaml")
    #expect(run.conclusion == "failure")
    let outcomes = run.steps.mapValues { $0["outcome"] as? String }
    #expect(outcomes["bad"] == "failure" && outcomes["bad/b"] == "skipped" && outcomes["after"] == "skipped")
    #expect(outcomes["caught"] == "success" && outcomes["goes-on"] == "success" && outcomes["taken"] == "success")
    try folder.write("name: main\nsteps:\n  optional: { uses: ./bad.yaml, optional: true }\n", to: "optional.yaml")
    #expect(try folder.run("optional.yaml").conclusion == "partial")
  }

  @Test func `is skipped as a whole`() throws {
    let folder = try Folder([
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

  @Test func `has events, queues and paths of its own`() throws {
    let inner = """
      name: inner
      events: [done]
      queues: { one: { qos: utility, width: 1 } }
      steps:
        tell: { uses: flow.post, queue: one, with: { event: done } }
        hear: { uses: flow.noop, needs: tell, after: done }
      """
    let folder = try Folder([
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

  @Test func `is checked where it is used, and tells what is wrong in its own file`() throws {
    let folder = try Folder([
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
        g: { uses: ./inner.yaml, with: { target: x }, foreach: [1] }
        h: { uses: ./pipe.yaml }
        i: { uses: ./last.yaml }
      """,
      "last.yaml": Self.ending,
    ])
    // Nobody writes to it: whoever reads it waits.
    #expect(mkfifo(folder.url.appendingPathComponent("pipe.yaml").path, 0o600) == 0)
    let (text, status) = try folder.flowrun("validate", "main.yaml")
    #expect(status == 2)
    for part in [
      "main.yaml:3:44: error: the input 'target' of 'inner.yaml' does not fit",
      "step 'b' lacks the input 'target' of 'inner.yaml'", "there is no file 'nowhere.yaml' that can be read",
      "broken.yaml:3:14: error: step 'q' uses 'flow.nop'", "'deadline' stands in that file (line 2)",
      "'finally' stands in that file (line 4), which is not built for included files",
      "there is no file 'pipe.yaml' that can be read", "which cannot have 'retry'",
      "a workflow for each item is not built",
    ] { #expect(text.contains(part), "\(part)\nis not in\n\(text)") }
    let circle = try folder.flowrun("validate", "one.yaml").text
    #expect(circle.contains("the files include each other: one.yaml → two.yaml → one.yaml"))
  }

  @Test func `may stand eight deep and no deeper`() throws {
    var files: [String: String] = [:]
    for depth in 1...9 {
      let step = depth == 9 ? "flow.noop" : "./d\(depth + 1).yaml"
      files["d\(depth).yaml"] = "name: d\(depth)\nsteps:\n  s: { uses: \(step) }\n"
    }
    let folder = try Folder(files)
    #expect(try folder.flowrun("validate", "d2.yaml").status == 0)
    let (text, status) = try folder.flowrun("validate", "d1.yaml")
    #expect(status == 2 && text.contains("files include each other more than 8 deep"))
  }

  @Test func `goes on after a failure, with the files as they were known`() throws {
    let folder = try Folder([
      "inner.yaml":
        "name: inner\nsteps:\n  a: { uses: flow.noop }\n  b: { uses: shell.run, needs: a, with: { command: 'test -e ok' } }\n",
      "main.yaml": "name: main\nsteps:\n  x: { uses: ./inner.yaml }\n",
    ])
    #expect(try folder.run("main.yaml").conclusion == "failure")
    try folder.write("", to: "ok")
    let (text, status) = try folder.flowrun("resume", "last")
    #expect(status == 0 && text.contains("kept: x/, x/a"), "\(text)")
    // Another step first in the file: what is known of the run is told by what it ran.
    try folder.write("name: inner\nsteps:\n  z: { uses: flow.noop }\n  a: { uses: flow.noop }\n", to: "inner.yaml")
    #expect(try folder.flowrun("runs", "show", "last").text.contains("x/b"))
  }
}
