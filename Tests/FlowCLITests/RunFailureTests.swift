import FlowModel
import Foundation
import TestSupport
import Testing

/// Failures of a run that no step explains, in outputs for build servers.
@Suite(.timeLimit(.minutes(10))) struct `A failure of the run itself` {
  private static let cases: [(text: String, options: [String], code: Int32, finding: String, message: String)] = [
    ("timeout: 200ms\nsteps: { a: { run: sleep 20 } }", [], 1, "timed-out", "took longer than its timeout of 200ms"),
    (
      // The step that handles the timeout also fails. That does not explain the failure of the run.
      "timeout: 200ms\nsteps: { a: { run: sleep 20 } }\nfinally: { z: { run: exit 3 } }", [], 1, "timed-out",
      "took longer than its timeout of 200ms"
    ),
    (
      "steps: { a: { run: 'seq 1000', output-limit: 1KiB } }\noutputs: { all: '${{ steps.a.outputs.stdout }}' }", [], 1,
      "output-too-large", "steps.a.outputs.stdout"
    ),
    (
      "durable: true\nsteps: { a: { run: rm -r .flowrun }, b: { run: 'true', needs: a } }", [], 1, "history",
      "the run store"
    ),
    (
      "deadline: { max: 50ms }\nsteps: { a: { run: sleep 0.4 } }", ["--strict"], 124, "late",
      "The gate opened at its maximum of 50 ms before"
    ),
  ]

  @Test(arguments: cases.indices)
  func `a failure of the run itself is in the code quality report, annotations and JUnit report`(index: Int) throws {
    let (text, options, code, finding, message) = Self.cases[index]
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write("name: w\n\(text)\n", to: "w.yaml")
    let run = try tool.run(
      ["w.yaml", "--junit", "junit.xml", "--code-quality", "quality.json", "--annotations", "github"] + options)
    #expect(run.exitCode == code, "\(run)")
    let findings = try JSONText.parse(try tool.text(of: "quality.json")).arrayValue ?? []
    let own = try #require(findings.first { $0["check_name"] == .string(finding) }, "\(findings)")
    #expect(own["description"]?.stringValue?.contains(message) ?? false, "\(own)")
    #expect(own["severity"] == "major" && own["location"]?["path"] == "w.yaml", "\(own)")
    let annotation = run.standardError.split(separator: "\n").first { $0.hasSuffix("[\(finding)]") } ?? ""
    #expect(annotation.hasPrefix("::error file=w.yaml,") && annotation.contains(message), "\(run)")
    let junit = try tool.text(of: "junit.xml")
    #expect(junit.contains("<error type=\"\(finding)\"") && junit.contains(message), "\(junit)")
  }

  @Test func `a failure of the run itself is not reported if failed steps explain it`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write("name: w\nsteps: { a: { run: exit 3 }, b: { run: 'true', needs: a } }\n", to: "w.yaml")
    #expect(try tool.run("w.yaml", "--junit", "junit.xml", "--code-quality", "quality.json").exitCode == 1)
    #expect(try JSONText.parse(try tool.text(of: "quality.json")).arrayValue?.count == 1)
    #expect(try tool.text(of: "junit.xml").contains(#"failures="1" errors="0""#))
  }

  @Test func `a run that Ctrl-C cancels is reported as a finding`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write("name: w\nsteps: { a: { run: 'echo began; sleep 60' } }\n", to: "w.yaml")
    let process = try FlowrunProcess(["w.yaml", "--code-quality", "quality.json"], in: tool.folder.path)
    #expect(process.waitForOutput("began"))
    process.send(SIGINT)
    #expect(process.result(limitSeconds: 60).exitCode == 130)
    let findings = try JSONText.parse(try tool.text(of: "quality.json")).arrayValue ?? []
    #expect(findings.map { $0["check_name"] } == ["cancelled"], "\(findings)")
  }
}
