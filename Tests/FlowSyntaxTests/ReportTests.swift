import FlowDiagnostics
import Testing

@testable import FlowSyntax

struct ReportTests {
  private var report: DiagnosticReport {
    let result = load("name: ä\r\nsteps:\r\n  a: { uses: flow.noop, needs: 名 }\r\n", file: "a b/ü.yaml")
    return DiagnosticReport([
      DiagnosticReport.File(source: result.source, diagnostics: result.diagnostics),
      DiagnosticReport.File(source: SourceText("", file: "empty.yaml"), diagnostics: []),
    ])
  }

  @Test func `a report counts errors and warnings`() {
    #expect(report.summary == "1 error, 0 warnings")
    #expect(report.containsError)
  }

  @Test func `a report on several files omits valid files`() {
    let text = report.text()
    #expect(text.hasPrefix("a b/ü.yaml:3:32: error: step 'a' needs '名', which is not a step [unknown-step]\n"))
    #expect(!text.contains("empty.yaml"))
  }
}
