import FlowDiagnostics
import FlowModel
import FlowSyntax
import SyncCore

/// A file `*.sync.yaml`: a schema, or everything that is wrong with it.
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

  /// Reads the schema in `bytes`; `file` is what messages call it.
  public init(bytes: [UInt8], file: String) {
    source = SourceText(bytes, file: file)
    let (root, problems) = PlacedValue.read(source)
    var reader = SchemaReader(diagnostics: problems)
    let schema = reader.read(root)
    diagnostics = reader.diagnostics.sortedByLocation()
    self.schema = diagnostics.containsError ? nil : schema
  }

  /// Every diagnostic as text for people, with an excerpt each.
  public func rendered() -> String { DiagnosticRenderer(source, usesColor: false).render(diagnostics) }
}
