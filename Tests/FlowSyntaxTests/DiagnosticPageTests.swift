import FlowDiagnostics
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `docs/diagnostics.md` must explain exactly the codes that exist.
struct DiagnosticPageTests {
  private struct Section {
    var code: String
    var lines: [Substring]
  }

  private func sections() throws -> [Section] {
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("docs/diagnostics.md")
    let text = String(decoding: try Data(contentsOf: page), as: UTF8.self)
    var sections: [Section] = []
    for line in text.split(separator: "\n") {
      if line.hasPrefix("### ") {
        sections.append(Section(code: String(line.dropFirst(4)), lines: []))
      } else if !line.hasPrefix("#"), !sections.isEmpty {
        sections[sections.count - 1].lines.append(line)
      }
    }
    return sections
  }

  @Test func `the diagnostics page explains every code once`() throws {
    #expect(try sections().map(\.code).sorted() == DiagnosticCode.allCases.map(\.rawValue).sorted())
  }

  @Test func `the diagnostics page states the severity, a cause and a fix for every code`() throws {
    for section in try sections() {
      let code = try #require(DiagnosticCode(rawValue: section.code))
      #expect(section.lines.first?.hasPrefix(code.severity == .error ? "Error. " : "Warning. ") == true)
      #expect(section.lines.contains { $0.hasPrefix("- Cause: ") && $0.count > 15 })
      #expect(section.lines.contains { $0.hasPrefix("- Fix: ") && $0.count > 10 })
    }
  }
}
