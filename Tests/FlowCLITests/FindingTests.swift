import FlowDiagnostics
import FlowModel
import FlowPluginKit
import FlowSyntax
import Testing

@testable import FlowCLI

/// Failed steps and diagnostics, located at the lines of their files, for GitHub and GitLab.
struct `Findings` {
  private static let file = """
    name: build
    steps:
      fetch: { uses: flow.noop }
      test:
        uses: flow.noop
      slow: { uses: flow.noop }

    """

  private func failed(_ message: String = "no: 50 %, really\nlast line") throws -> RunAccount {
    try RunAccountExample.account(
      "failure",
      [
        "fetch": RunAccountExample.step("success"),
        "test": RunAccountExample.step("failure", error: ("exit-code", message)),
        "slow": RunAccountExample.step("timed-out", error: ("deadline", "took long"), ["conclusion": "success"]),
      ], file: Self.file)
  }

  private func finding(_ severity: Diagnostic.Severity, _ number: Int, code: String = "e") -> Finding {
    Finding(
      severity: severity, code: code, title: "t", message: "m\(number)",
      place: Finding.Place(file: "/repo/w.yaml", TextLocation(line: number, column: 1), root: "/repo"),
      identity: "same")
  }

  @Test func `failures of a run are GitHub annotations at the lines of their steps, with escaped text`() throws {
    #expect(
      GitHubAnnotations.text(Finding.all(in: try failed(), root: nil)) == """
        ::error file=build.yaml,line=4,col=3,title=step 'test' failed::no: 50 %25, really%0Alast line [exit-code]
        ::warning file=build.yaml,line=6,col=3,title=step 'slow' timed out::took long [deadline]

        """)
  }

  @Test func `a step that was late for the gate causes a warning`() throws {
    let account = try RunAccountExample.account(
      "partial", ["fetch": RunAccountExample.step("success")],
      gate: ["outcome": "timed-out", "openedAt": 500, "max": 500, "late": ["fetch"]], file: Self.file)
    #expect(
      GitHubAnnotations.text(Finding.all(in: account, root: nil)) == """
        ::warning file=build.yaml,line=3,col=3,title=step 'fetch' is late::The gate opened at its maximum of 500 ms \
        before this step had finished [late]

        """)
  }

  @Test func `only the failed steps of a failed include are findings`() throws {
    let account = try RunAccountExample.account(
      "failure",
      [
        "part": RunAccountExample.step("failure", nil, 9, attempts: 0, error: ("include-failed", "a step failed")),
        "part/one": RunAccountExample.step("failure", error: ("e", "no")),
      ])
    #expect(Finding.all(in: account, root: nil).map(\.identity) == ["part/one"])
  }

  @Test func `characters that would end a property or a line of an annotation are escaped`() {
    #expect(GitHubAnnotations.property("a:b,c%\r\n") == "a%3Ab%2Cc%25%0D%0A")
    #expect(GitHubAnnotations.data("a:b,c%\r\n") == "a:b,c%25%0D%0A")
  }

  @Test func `at most ten annotations per severity are written, and the tenth counts the omitted ones`() {
    func lines(_ count: Int) -> [Substring] {
      GitHubAnnotations.text((1...count).map { finding(.error, $0) } + [finding(.warning, 1)]).split(separator: "\n")
    }
    #expect(lines(10).count == 11 && !lines(10).contains { $0.contains("more") })
    #expect(lines(11).count == 11)
    #expect(lines(11)[9].hasPrefix("::error title=2 more::"))
    #expect(lines(11)[10].hasPrefix("::warning file=w.yaml,line=1,col=1,"))
  }

  @Test func `failures of a run are written as a code quality report`() throws {
    let bytes = CodeQuality.bytes(Finding.all(in: try failed(), root: nil))
    let entries = try #require(JSONText.parse(bytes).arrayValue)
    #expect(entries.map { $0["check_name"] } == ["exit-code", "deadline"])
    #expect(entries.map { $0["severity"] } == ["major", "minor"])
    #expect(
      entries.map { $0["location"] } == [
        ["path": "build.yaml", "lines": ["begin": 4]], ["path": "build.yaml", "lines": ["begin": 6]],
      ])
    #expect(entries[0]["description"] == "step 'test' failed: no: 50 %, really\nlast line")
  }

  @Test func `fingerprints of findings are unique and do not depend on lines or messages`() throws {
    func fingerprints(_ findings: [Finding]) throws -> [String?] {
      try #require(JSONText.parse(CodeQuality.bytes(findings)).arrayValue).map { $0["fingerprint"]?.stringValue }
    }
    let first = try fingerprints([finding(.error, 1), finding(.error, 2), finding(.error, 3, code: "f")])
    #expect(first == (try fingerprints([finding(.error, 5), finding(.error, 6), finding(.error, 7, code: "f")])))
    #expect(Set(first).count == 3)
    #expect(first.allSatisfy { $0?.count == 64 })
  }

  @Test func `without findings, the code quality report is empty and there are no annotations`() throws {
    #expect(CodeQuality.bytes([]) == Array("[]\n".utf8))
    #expect(GitHubAnnotations.text([]).isEmpty)
  }

  @Test func `a finding in an included file has the line of its step in that file`() {
    let inner = "name: inner\nsteps:\n  one: { uses: flow.noop }\n  two: { uses: flow.noop }\n"
    let outer = "name: outer\nsteps:\n  first: { uses: flow.noop }\n  part: { uses: ./inner.yaml }\n"
    let loader = WorkflowLoader(catalog: ActionRegistry(BuiltInPlugins.all)) { path in
      path == "flows/inner.yaml" ? Array(inner.utf8) : nil
    }
    let loaded = loader.load(bytes: Array(outer.utf8), file: "flows/outer.yaml")
    let steps = loaded.graph?.workflow.steps.map(\.id.text) ?? []
    let places = steps.indices.map { index -> String in
      guard let (source, span) = loaded.definition(of: StepIndex(index)) else { return "nowhere" }
      return "\(source.file):\(LineTable(source).location(of: span.start).line)"
    }
    #expect(
      Dictionary(uniqueKeysWithValues: zip(steps, places)) == [
        "first": "flows/outer.yaml:3", "part": "flows/outer.yaml:4", "part/": "flows/outer.yaml:4",
        "part/one": "flows/inner.yaml:3", "part/two": "flows/inner.yaml:4",
      ])
  }

  @Test func `the file names of findings are relative to the root of the repository`() {
    func path(_ file: String, _ root: String?) -> String {
      Finding.Place(file: file, TextLocation(line: 1, column: 1), root: root).file
    }
    #expect(path("/repo/a/../b.yaml", "/repo") == "b.yaml")
    #expect(path("./b.yaml", nil) == "b.yaml")
    #expect(path("/elsewhere/b.yaml", "/repo") == "/elsewhere/b.yaml")
    #expect(path("/repository/b.yaml", "/repo") == "/repository/b.yaml")
  }
}
