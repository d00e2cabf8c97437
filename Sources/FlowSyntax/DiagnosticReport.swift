import FlowDiagnostics

/// The diagnostics of one or several files; the command writes them for people, programs and code-scanning services.
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

  /// What loading a workflow found, in the files that it includes first.
  public init(_ result: LoadResult) {
    files = (result.included + [result]).map { File(source: $0.source, diagnostics: $0.diagnostics) }
  }

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
}
