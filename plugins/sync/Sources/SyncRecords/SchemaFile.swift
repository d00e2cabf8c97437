import FlowDiagnostics

/// The result of reading a file `*.sync.yaml`: a schema, or all problems with it.
public struct SchemaFile: Sendable {
  /// The suffix of the name of a schema file.
  package static let suffix = ".sync.yaml"
  /// The maximum number of fields in a collection.
  package static let fieldLimit = 200

  /// The schema, or nil if there is an error.
  package let schema: RecordSchema?
  /// The diagnostics in file order.
  package let diagnostics: [Diagnostic]
  /// The text that the diagnostics refer to.
  package let source: SourceText

  /// Creates a result. If there is an error, the schema is left out.
  package init(_ schema: RecordSchema?, _ diagnostics: [Diagnostic], of source: SourceText) {
    self.source = source
    self.diagnostics = diagnostics.sortedByLocation()
    self.schema = diagnostics.containsError ? nil : schema
  }

  /// Returns the diagnostics as text for people, each with an excerpt of the file.
  package func rendered() -> String { DiagnosticRenderer(source, usesColor: false).render(diagnostics) }
}

/// Reads files `*.sync.yaml` at run time. An app needs no reader, because its schemas are compiled when it is built.
/// `flowrun` uses `YAMLSchemas`.
public protocol SchemaReading: Sendable {
  /// Reads a file and returns its schema or all of its problems. `file` is its name in messages.
  func read(_ bytes: [UInt8], file: String) -> SchemaFile
}
