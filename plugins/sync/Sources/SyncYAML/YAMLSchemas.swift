import FlowDiagnostics
import FlowModel
import FlowSyntax
import SyncRecords

/// Reads record schemas with the YAML reader of workflows. For programs that are allowed to link libyaml:
///
/// ```swift
/// SyncPlugin(reader: YAMLSchemas())
/// ```
public struct YAMLSchemas: SchemaReading {
  /// Creates a reader, which has no state.
  public init() {}

  /// Reads a file. Returns its schema or all problems with it. `file` is the file's name in messages.
  public func read(_ bytes: [UInt8], file: String) -> SchemaFile {
    let source = SourceText(bytes, file: file)
    let (root, problems) = PlacedValue.read(source)
    var reader = SchemaReader(diagnostics: problems)
    let schema = reader.read(root)
    return SchemaFile(schema, reader.diagnostics, of: source)
  }
}
