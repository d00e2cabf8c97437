import FlowDiagnostics
import FlowModel
import FlowSyntax

extension DiagnosticReport {
  /// Returns a JSON array with one object per diagnostic: `{file, line, column, endLine, endColumn, severity, code,
  /// message, help, related: [{…, label}]}`.
  ///
  /// Lines and columns are counted from 1. Columns are in code points. `help` can be null.
  public func json() -> Value {
    .array(
      files.flatMap { file in
        let lines = LineTable(file.source)
        return file.diagnostics.map { diagnostic in
          var object = Self.place(diagnostic.span, lines, file.source)
          object["severity"] = .string(diagnostic.severity.rawValue)
          object["code"] = .string(diagnostic.code.rawValue)
          object["message"] = .string(diagnostic.message)
          object["help"] = diagnostic.help.map(Value.string) ?? .null
          object["related"] = .array(
            diagnostic.related.map { related in
              let source = related.source ?? file.source
              var object = Self.place(related.span, related.source.map(LineTable.init) ?? lines, source)
              object["label"] = .string(related.label)
              return Value.object(object)
            })
          return Value.object(object)
        }
      })
  }

  private static func place(_ span: TextSpan, _ lines: LineTable, _ source: SourceText) -> ValueObject {
    let start = lines.location(of: span.start)
    let end = lines.location(of: span.end)
    return [
      "file": .string(source.file), "line": .integer(start.line), "column": .integer(start.column),
      "endLine": .integer(end.line), "endColumn": .integer(end.column),
    ]
  }
}
