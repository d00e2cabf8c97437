import FlowDiagnostics
import FlowModel

/// The diagnostics of one or several files, for people, for programs and for code-scanning services.
public struct DiagnosticReport: Sendable {
  /// A file with what was found in it.
  public struct File: Sendable {
    /// The file's name and content.
    public var source: SourceText
    /// What was found, in the order of the file.
    public var diagnostics: [Diagnostic]

    /// A file with what was found in it.
    public init(source: SourceText, diagnostics: [Diagnostic]) {
      self.source = source
      self.diagnostics = diagnostics
    }
  }

  /// The files in the order in which they are reported.
  public var files: [File]

  /// A report of these files.
  public init(_ files: [File]) { self.files = files }

  /// Whether any file cannot be used.
  public var containsError: Bool { files.contains { $0.diagnostics.containsError } }

  /// How much was found: `2 errors, 1 warning`.
  public var summary: String {
    let errors = files.reduce(0) { $0 + $1.diagnostics.filter(\.isError).count }
    let warnings = files.reduce(0) { $0 + $1.diagnostics.count } - errors
    return "\(errors) error\(errors == 1 ? "" : "s"), \(warnings) warning\(warnings == 1 ? "" : "s")"
  }

  /// Every diagnostic with an excerpt, an empty line between two.
  public func text(usesColor: Bool = false) -> String {
    files.filter { !$0.diagnostics.isEmpty }
      .map { DiagnosticRenderer($0.source, usesColor: usesColor).render($0.diagnostics) }
      .joined(separator: "\n")
  }

  /// A JSON array with one object a diagnostic:
  /// `{file, line, column, endLine, endColumn, severity, code, message, help, related: [{…, label}]}`.
  ///
  /// Lines and columns count from 1, columns in code points; `help` is null where there is none.
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
              var object = Self.place(related.span, lines, file.source)
              object["label"] = .string(related.label)
              return Value.object(object)
            })
          return Value.object(object)
        }
      })
  }

  private static func place(_ span: Span, _ lines: LineTable, _ source: SourceText) -> ValueObject {
    let start = lines.location(of: span.start)
    let end = lines.location(of: span.end)
    return [
      "file": .string(source.file), "line": .integer(start.line), "column": .integer(start.column),
      "endLine": .integer(end.line), "endColumn": .integer(end.column),
    ]
  }
}
