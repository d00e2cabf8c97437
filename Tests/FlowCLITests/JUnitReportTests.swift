import FlowEngine
import FlowInsightCommands
import FlowModel
import Testing

@testable import FlowCLI

/// Runs as JUnit reports. Attributes and elements are those in the schema of Jenkins' xUnit plugin (`junit-10.xsd`).
/// GitLab's parser reads a part of them.
struct `A JUnit report` {
  private func report(_ account: RunAccount) -> String { String(decoding: JUnitReport(account).bytes, as: UTF8.self) }

  /// Returns the lines of the test cases without indentation.
  private func cases(_ steps: ValueObject, _ conclusion: String = "failure") throws -> [String] {
    let lines = report(try RunAccountExample.account(conclusion, steps)).split(separator: "\n")
    return lines.drop { !$0.contains("</properties>") }.dropFirst().dropLast(2).map { line in
      String(line.drop { $0 == " " })
    }
  }

  @Test func `the report has a suite for the run and a test case for each step`() throws {
    let account = try RunAccountExample.account(
      "failure",
      [
        "fetch": RunAccountExample.step("success", 0, 250),
        "test": RunAccountExample.step(
          "failure", 250, 1234, error: ("exit-code", "'make test' ended with 2:\n  1 < 2 & \"quoted\"")),
        "publish": RunAccountExample.step("skipped", nil, 1234, attempts: 0, ["reason": "upstream-failed"]),
      ])
    #expect(
      report(account) == """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="build" tests="3" failures="1" errors="0" time="1.234">
          <testsuite name="build" tests="3" failures="1" errors="0" skipped="1" time="1.234" \
        timestamp="2026-11-23T00:00:00" file="build.yaml">
            <properties>
              <property name="run" value="0f8c"/>
              <property name="conclusion" value="failure"/>
            </properties>
            <testcase name="fetch" classname="build" time="0.250"/>
            <testcase name="test" classname="build" time="0.984">
              <failure type="exit-code" message="'make test' ended with 2">'make test' ended with 2:
          1 &lt; 2 &amp; "quoted"</failure>
            </testcase>
            <testcase name="publish" classname="build" time="0.000">
              <skipped message="upstream-failed"/>
            </testcase>
          </testsuite>
        </testsuites>

        """)
  }

  @Test func `the report has a test case for each item, and one for a step that fails without a failed item`() throws {
    #expect(
      try cases([
        "a": RunAccountExample.step(
          "failure", error: ("items-failed", "1 of 2 failed"),
          [
            "items": [
              RunAccountExample.item(0, "success", key: "x"), RunAccountExample.item(1, "failure", error: ("e", "no")),
            ]
          ]),
        "b": RunAccountExample.step(
          "failure", error: ("fan", "its outputs are too large"), ["items": [RunAccountExample.item(0, "success")]]),
      ]) == [
        #"<testcase name="a[0] x" classname="build" time="0.001"/>"#,
        #"<testcase name="a[1]" classname="build" time="0.001">"#, #"<failure type="e" message="no">no</failure>"#,
        "</testcase>", #"<testcase name="b[0]" classname="build" time="0.001"/>"#,
        #"<testcase name="b" classname="build" time="0.010">"#,
        #"<failure type="fan" message="its outputs are too large">its outputs are too large</failure>"#, "</testcase>",
      ])
  }

  @Test func `a failed optional step is reported as skipped, and a step that timed out as an error`() throws {
    #expect(
      try cases([
        "a": RunAccountExample.step("failure", error: ("e", "no"), ["conclusion": "success"]),
        "b": RunAccountExample.step("timed-out", error: ("deadline", "took longer than 1s")),
      ]) == [
        #"<testcase name="a" classname="build" time="0.010">"#,
        #"<skipped message="optional, and ended as failure: no"/>"#, "</testcase>",
        #"<testcase name="b" classname="build" time="0.010">"#,
        #"<error type="deadline" message="took longer than 1s">took longer than 1s</error>"#, "</testcase>",
      ])
  }

  @Test func `the report of a cancelled run has an error, unlike that of a successful one`() throws {
    let cancelled = try cases(["a": RunAccountExample.step("cancelled")], "cancelled")
    #expect(cancelled.contains(#"<testcase name="the run" classname="build" time="1.234">"#))
    #expect(cancelled.contains { $0.hasPrefix(#"<error type="cancelled" "#) })
    #expect(!(try cases(["a": RunAccountExample.step("success")], "success")).contains { $0.contains("the run") })
  }

  @Test func `the report of a run that a signal prevented from starting has an error`() {
    let report = RunReport.ofNoRun(of: "a.yaml", why: "signal 2 came first")
    let account = RunAccount(report, file: "a.yaml", mask: nil, activatedAtNanoseconds: 0)
    #expect(self.report(account).contains(#"<error type="cancelled" message="signal 2 came first">"#))
    #expect(InsightPages.page(report).html.contains("a.yaml"))
  }

  @Test func `the report has no characters that XML 1.0 forbids`() {
    let forbidden = "\u{0}\u{8}\u{B}\u{1F}\u{FFFE}\u{FFFF}"
    #expect(XMLText.content("a\(forbidden)b") == "a" + String(repeating: "\u{FFFD}", count: 6) + "b")
    #expect(XMLText.content("tab\t line\n \u{7F}\u{85} 😀 \r") == "tab\t line\n \u{7F}\u{85} 😀 &#13;")
    #expect(XMLText.attribute("\"<&>\"\t\n\r") == "&quot;&lt;&amp;&gt;&quot;&#9;&#10;&#13;")
  }

  @Test func `the report has neither secrets nor the colors of a command`() throws {
    let account = try RunAccountExample.account(
      "failure",
      ["a": RunAccountExample.step("failure", error: ("e", "ended:\n  \u{1B}[31mkey is s3cret-key\u{1B}[0m"))],
      secrets: ["key": "s3cret-key"])
    #expect(report(account).contains(">ended:\n  key is ***</failure>"))
    #expect(!report(account).contains("s3cret"))
  }
}
