import FlowDiagnostics

/// The result of reading a `*.sync.yaml` file: a schema, or all problems with the file.
public struct SchemaFile: Sendable {
  package static let suffix = ".sync.yaml"
  /// The maximum number of fields in a collection.
  package static let fieldLimit = 200

  /// The schema, or nil if the file has an error.
  package let schema: RecordSchema?
  /// The diagnostics in the order of the file.
  package let diagnostics: [Diagnostic]
  /// The text that the diagnostics refer to.
  package let source: SourceText

  /// Creates a result. The schema is dropped if one of the diagnostics is an error.
  package init(_ schema: RecordSchema?, _ diagnostics: [Diagnostic], of source: SourceText) {
    self.source = source
    self.diagnostics = diagnostics.sortedByLocation()
    self.schema = diagnostics.containsError ? nil : schema
  }

  /// Returns the diagnostics as human-readable text, with excerpts from the file.
  package func rendered() -> String { DiagnosticRenderer(source, usesColor: false).render(diagnostics) }
}

/// Reads `*.sync.yaml` files at run time. An app does not need a reader, because its schemas are compiled when it is
/// built. `flowrun` uses `YAMLSchemas`.
public protocol SchemaReading: Sendable {
  /// Reads a file. Returns its schema or all problems with it. `file` is the file's name in messages.
  func read(_ bytes: [UInt8], file: String) -> SchemaFile
}
