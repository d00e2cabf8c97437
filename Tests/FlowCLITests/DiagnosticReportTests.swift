import FlowDiagnostics
import FlowModel
import FlowPluginKit
import FlowSyntax
import Testing

@testable import FlowCLI

/// Diagnostics as JSON, and as SARIF for code-scanning services.
struct `Reports of diagnostics` {
  private var report: DiagnosticReport {
    let text = "name: ä\r\nsteps:\r\n  a: { uses: flow.noop, needs: 名 }\r\n"
    let result = WorkflowLoader(catalog: ActionRegistry(BuiltInPlugins.all)).load(
      bytes: Array(text.utf8), file: "a b/ü.yaml")
    return DiagnosticReport([
      DiagnosticReport.File(source: result.source, diagnostics: result.diagnostics),
      DiagnosticReport.File(source: SourceText("", file: "empty.yaml"), diagnostics: []),
    ])
  }

  @Test func `the JSON report has locations as lines and columns of code points`() {
    #expect(
      report.json() == [
        [
          "file": "a b/ü.yaml", "line": 3, "column": 32, "endLine": 3, "endColumn": 33, "severity": "error",
          "code": "unknown-step", "message": "step 'a' needs '名', which is not a step", "help": nil, "related": [],
        ]
      ])
  }

  @Test func `the SARIF report has the parts that SARIF 2.1.0 requires`() throws {
    let log = try #require(report.sarif().objectValue)
    #expect(log["version"] == "2.1.0")
    let run = try #require(log["runs"]?.arrayValue?.first?.objectValue)
    #expect(run["columnKind"] == "unicodeCodePoints")
    let driver = try #require(run["tool"]?.objectValue?["driver"]?.objectValue)
    #expect(driver["name"] == "flowrun")
    #expect(driver["rules"] == [["id": "unknown-step", "defaultConfiguration": ["level": "error"]]])
    #expect(
      run["results"] == [
        [
          "ruleId": "unknown-step", "ruleIndex": 0, "level": "error",
          "message": ["text": "step 'a' needs '名', which is not a step"],
          "locations": [
            [
              "physicalLocation": [
                "artifactLocation": ["uri": "a%20b/%C3%BC.yaml"],
                "region": ["startLine": 3, "startColumn": 32, "endLine": 3, "endColumn": 33],
              ]
            ]
          ],
        ]
      ])
  }
}
