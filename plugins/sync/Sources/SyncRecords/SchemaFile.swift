import FlowDiagnostics

/// What was read of a file `*.sync.yaml`: a schema, or everything that is wrong with it.
public struct SchemaFile: Sendable {
  /// How such a file's name ends.
  public static let suffix = ".sync.yaml"
  /// The number of fields that a collection may have.
  public static let fieldLimit = 200

  /// The schema; nil exactly when there is an error.
  public let schema: RecordSchema?
  /// Everything that was found, in the order of the file.
  public let diagnostics: [Diagnostic]
  /// The text that the diagnostics are about.
  public let source: SourceText

  /// Notes what was read and found; a schema with an error is left out.
  package init(_ schema: RecordSchema?, _ diagnostics: [Diagnostic], of source: SourceText) {
    self.source = source
    self.diagnostics = diagnostics.sortedByLocation()
    self.schema = diagnostics.containsError ? nil : schema
  }

  /// Every diagnostic as text for people, with an excerpt each.
  public func rendered() -> String { DiagnosticRenderer(source, usesColor: false).render(diagnostics) }
}

/// Reads files `*.sync.yaml` while a program runs. An app needs none, because its schemas are compiled when it is built; `flowrun`
/// has `YAMLSchemas`.
public protocol SchemaReading: Sendable {
  /// Reads a file, or finds everything that is wrong with it; `file` is its name in messages.
  func read(_ bytes: [UInt8], file: String) -> SchemaFile
}
