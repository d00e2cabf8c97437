import FlowDiagnostics
import FlowModel
import FlowSyntax

extension DiagnosticReport {
  /// Returns the report as SARIF 2.1.0, an OASIS standard that code-scanning services read.
  public func sarif() -> Value {
    let used = DiagnosticCode.allCases.filter { code in
      files.contains { $0.diagnostics.contains { $0.code == code } }
    }
    let ruleIndices = Dictionary(uniqueKeysWithValues: used.enumerated().map { ($1, $0) })
    let results = files.flatMap { file in
      let lines = LineTable(file.source)
      return file.diagnostics.map { Self.result($0, file.source, lines, ruleIndices) }
    }
    let driver: Value = [
      "name": "flowrun",
      "rules": .array(used.map(Self.rule)),
    ]
    return [
      "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
      "version": "2.1.0",
      "runs": [["tool": ["driver": driver], "columnKind": "unicodeCodePoints", "results": .array(results)]],
    ]
  }

  private static func rule(_ code: DiagnosticCode) -> Value {
    [
      "id": .string(code.rawValue),
      "defaultConfiguration": ["level": .string(code.severity.rawValue)],
    ]
  }

  private static func result(
    _ diagnostic: Diagnostic, _ source: SourceText, _ lines: LineTable, _ ruleIndices: [DiagnosticCode: Int]
  ) -> Value {
    let text = diagnostic.message + (diagnostic.help.map { "; \($0)" } ?? "")
    var result: ValueObject = [
      "ruleId": .string(diagnostic.code.rawValue),
      "ruleIndex": .integer(ruleIndices[diagnostic.code] ?? -1),
      "level": .string(diagnostic.severity.rawValue),
      "message": ["text": .string(text)],
      "locations": [["physicalLocation": physicalLocation(diagnostic.span, source, lines)]],
    ]
    if !diagnostic.related.isEmpty {
      result["relatedLocations"] = .array(
        diagnostic.related.enumerated().map { index, related in
          [
            "id": .integer(index),
            "physicalLocation": physicalLocation(
              related.span, related.source ?? source, related.source.map(LineTable.init) ?? lines),
            "message": ["text": .string(related.label)],
          ]
        })
    }
    return .object(result)
  }

  private static func physicalLocation(_ span: TextSpan, _ source: SourceText, _ lines: LineTable) -> Value {
    let start = lines.location(of: span.start)
    let end = lines.location(of: span.end)
    return [
      "artifactLocation": ["uri": .string(uri(of: source.file))],
      "region": [
        "startLine": .integer(start.line), "startColumn": .integer(start.column),
        "endLine": .integer(end.line), "endColumn": .integer(end.column),
      ],
    ]
  }

  /// Returns a path as a URI reference (RFC 3986). All bytes except unreserved characters and `/` are percent-encoded.
  private static func uri(of path: String) -> String {
    let encoded = path.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"), UInt8(ascii: "/"):
        return String(UnicodeScalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        return "%" + (digits.count < 2 ? "0" : "") + digits
      }
    }.joined()
    return path.utf8.first == UInt8(ascii: "/") ? "file://" + encoded : encoded
  }
}
