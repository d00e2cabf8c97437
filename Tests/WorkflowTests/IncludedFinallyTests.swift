import Foundation
import TestSupport
import Testing

/// Tests the effect of an included file's `finally` on the launch gate. If the gate waited for a step of `finally` that
/// waits for a deferred step, neither could finish.
@Suite(.timeLimit(.minutes(10))) struct `The finally of an included file` {
  private static let waits = #"run: 'while ! test -e opened; do sleep 0.01; done', with: { cwd: "${{ run.folder }}" }"#

  private func folder(_ steps: String, finally: String = Self.waits, max: String = "1m", more: String = "") throws
    -> WorkflowFolder
  {
    try WorkflowFolder([
      "part.yaml": """
      name: part
      steps: { work: { uses: flow.noop } }
      finally: { clean: { \(finally) } }
      """,
      "outer.yaml": "name: outer\nsteps: { inner: { uses: ./part.yaml } }\n",
      "main.yaml": """
      name: main
      deadline: { max: \(max) }
      \(more)
      steps:
        page: { run: touch opened, defer: true }
      \(steps)
      """,
    ])
  }

  private func gate(_ folder: WorkflowFolder) throws -> [String: Any] {
    let data = try Data(contentsOf: folder.url.appendingPathComponent("report.json"))
    let report = try JSONSerialization.jsonObject(with: data) as? [String: Any]
    return report?["gate"] as? [String: Any] ?? [:]
  }

  @Test(arguments: ["", ", blocking: true"], ["./part.yaml", "./outer.yaml"])
  func `an included finally does not delay the gate, even for a blocking include`(_ blocking: String, _ file: String)
    throws
  {
    let folder = try folder(
      "  build: { uses: \(file)\(blocking) }\n  behind: { uses: flow.noop, needs: build, defer: true }")
    let run = try folder.run("main.yaml")
    #expect(run.conclusion == "success" && run.output.contains("gate opened, ready"), "\(run.output)")
    let clean = file == "./part.yaml" ? "build/clean" : "build/inner/clean"
    let times = [run.steps[clean]?["endedAt"], run.steps["build"]?["endedAt"], run.steps["behind"]?["startedAt"]]
      .map { $0 as? Double ?? -1 }
    #expect(times[0] <= times[1] && times[1] <= times[2])
    #expect(!(try folder.flowrun("validate", "main.yaml").text.contains("finally")))
  }

  @Test func `an included finally starts after all steps of its file, even if the gate is closed`() throws {
    let folder = try folder(
      "  build: { uses: ./part.yaml }\n  data: { run: 'while ! test -e cleaned; do sleep 0.01; done' }",
      finally: "run: touch cleaned")
    let run = try folder.run("main.yaml")
    #expect(run.conclusion == "success" && run.output.contains("gate opened, ready"), "\(run.output)")
  }

  @Test func `an included finally delays the gate if a blocking step needs the include, and validate warns`() throws {
    let folder = try folder(
      "  build: { uses: ./part.yaml }\n  tell: { uses: flow.noop, needs: build }", finally: "run: 'true'")
    let run = try folder.run("main.yaml")
    let clean = try #require(run.steps["build/clean"]?["endedAt"] as? Double)
    #expect(try #require(try gate(folder)["openedAt"] as? Double) >= clean)
    let (text, status) = try folder.flowrun("validate", "main.yaml")
    #expect(status == 0 && text.contains("warning: the gate waits for finally of 'build'"), "\(text)")
  }

  /// `slow` runs until `mark` has run, which waits for the failure of `bad`. `slow` therefore still runs when `skipped`
  /// is skipped.
  private static let early = """
    steps:
      bad: { run: exit 1 }
      mark: { run: touch failed, needs: bad, if: failure() }
      slow: { run: 'while ! test -e failed; do sleep 0.01; done; sleep 0.05; touch slow-done' }
      skipped: { REPLACED, needs: [bad, slow] }
    finally: { clean: { run: test -e slow-done } }

    """

  @Test(arguments: ["uses: flow.noop", "uses: ./empty.yaml", "uses: flow.noop, foreach: [1, 2]"])
  func `an included finally waits for all steps of its file, even after early skips`(_ skipped: String)
    throws
  {
    let file = Self.early.replacing("REPLACED", with: skipped)
    let folder = try WorkflowFolder([
      "empty.yaml": "name: empty\nsteps: { nothing: { uses: flow.noop } }\n",
      "part.yaml": "name: part\n" + file,
      "outer.yaml": "name: outer\nsteps: { inner: { uses: ./part.yaml } }\n",
      "alone.yaml": "name: alone\n" + file,
    ])
    for (name, id) in [("alone.yaml", "clean"), ("outer.yaml", "inner/clean")] {
      let run = try folder.run(name)
      #expect(run.steps[id]?["outcome"] as? String == "success", "\(name) \(run.output)")
      try? FileManager.default.removeItem(at: folder.url.appendingPathComponent("slow-done"))
      try? FileManager.default.removeItem(at: folder.url.appendingPathComponent("failed"))
    }
  }

  @Test func `in a cancelled run, dependents and finally wait for the always() steps of an include`() throws {
    let folder = try WorkflowFolder([
      "part.yaml": """
      name: part
      steps:
        work: { run: sleep 600 }
        tidy: { run: 'sleep 0.1; touch tidied', needs: work, if: always() }
      """,
      "main.yaml": """
      name: main
      timeout: 200ms
      cleanup: 1m
      steps:
        part: { uses: ./part.yaml }
        behind: { run: test -e tidied, needs: part, if: always() }
      finally: { clean: { run: test -e tidied } }
      """,
    ])
    let run = try folder.run("main.yaml")
    let outcomes = ["part/tidy", "behind", "clean"].map { run.steps[$0]?["outcome"] as? String }
    #expect(outcomes == ["success", "success", "success"])
  }

  @Test func `an included finally that hangs does not delay the gate`() throws {
    let folder = try folder("  build: { uses: ./part.yaml }", finally: "run: sleep 600", more: "timeout: 7s")
    let run = try folder.run("main.yaml")
    #expect(run.conclusion == "failure" && run.output.contains("gate opened, ready"), "\(run.output)")
    #expect(run.steps["build/clean"]?["outcome"] as? String == "cancelled")
  }

  @Test func `a blocking step that needs the include is late if the included finally hangs`() throws {
    let folder = try folder(
      "  build: { uses: ./part.yaml }\n  tell: { uses: flow.noop, needs: build }", max: "300ms")
    let run = try folder.run("main.yaml")
    #expect(try gate(folder)["outcome"] as? String == "timed-out")
    #expect(run.output.contains("tell is late") && !run.output.contains("build is late"), "\(run.output)")
    #expect(!run.output.contains("clean is late") && run.conclusion == "partial")
  }

  @Test func `an included finally runs even if the run times out and the gate opens as failed`() throws {
    let folder = try folder("  build: { uses: ./long.yaml }", more: "timeout: 300ms\ncleanup: 1m")
    try folder.write(
      "name: long\nsteps: { work: { run: sleep 600 } }\nfinally: { clean: { run: touch cleaned } }\n", to: "long.yaml")
    let run = try folder.run("main.yaml")
    #expect(run.conclusion == "failure" && run.output.contains("gate opened, failed"), "\(run.output)")
    #expect(FileManager.default.fileExists(atPath: folder.url.appendingPathComponent("cleaned").path))
  }
}
