import FlowDiagnostics
import FlowModel
import FlowSyntax
import SyncRecords

/// Reads schemas of records with the reader of workflows, for programs that may link libyaml:
///
/// ```swift
/// SyncPlugin(reader: YAMLSchemas())
/// ```
public struct YAMLSchemas: SchemaReading {
  /// A reader.
  public init() {}

  /// Reads a file, or finds everything that is wrong with it; `file` is its name in messages.
  public func read(_ bytes: [UInt8], file: String) -> SchemaFile {
    let source = SourceText(bytes, file: file)
    let (root, problems) = PlacedValue.read(source)
    var reader = SchemaReader(diagnostics: problems)
    let schema = reader.read(root)
    return SchemaFile(schema, reader.diagnostics, of: source)
  }
}
