import FlowDiagnostics

/// The diagnostics of files. The command formats them for people, programs and code-scanning services.
package struct DiagnosticReport: Sendable {
  package struct File: Sendable {
    /// The file's name and content.
    package var source: SourceText
    /// The diagnostics, sorted by their location in the file.
    package var diagnostics: [Diagnostic]

    package init(source: SourceText, diagnostics: [Diagnostic]) {
      self.source = source
      self.diagnostics = diagnostics
    }
  }

  /// The files, in the order of the report.
  package var files: [File]

  package init(_ files: [File]) { self.files = files }

  /// Creates the report of a loaded workflow. Included files come first.
  package init(_ result: LoadResult) {
    files = (result.included + [result]).map { File(source: $0.source, diagnostics: $0.diagnostics) }
  }

  package var containsError: Bool { files.contains { $0.diagnostics.containsError } }

  /// The numbers of errors and warnings in text form, such as `2 errors, 1 warning`.
  package var summary: String {
    let errors = files.reduce(0) { $0 + $1.diagnostics.filter(\.isError).count }
    let warnings = files.reduce(0) { $0 + $1.diagnostics.count } - errors
    return "\(errors) error\(errors == 1 ? "" : "s"), \(warnings) warning\(warnings == 1 ? "" : "s")"
  }

  /// Formats all diagnostics with excerpts of the files, separated by empty lines.
  package func text(usesColor: Bool = false) -> String {
    files.filter { !$0.diagnostics.isEmpty }
      .map { DiagnosticRenderer($0.source, usesColor: usesColor).render($0.diagnostics) }
      .joined(separator: "\n")
  }
}
