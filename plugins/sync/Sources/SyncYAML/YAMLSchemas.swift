import FlowDiagnostics
import FlowModel
import FlowSyntax
import SyncRecords

/// Reads record schemas with the YAML reader of workflows, for programs that may link libyaml:
///
/// ```swift
/// SyncPlugin(reader: YAMLSchemas())
/// ```
public struct YAMLSchemas: SchemaReading {
  /// Creates a reader.
  public init() {}

  /// Reads a file and returns its schema or all of its problems. `file` is its name in messages.
  public func read(_ bytes: [UInt8], file: String) -> SchemaFile {
    let source = SourceText(bytes, file: file)
    let (root, problems) = PlacedValue.read(source)
    var reader = SchemaReader(diagnostics: problems)
    let schema = reader.read(root)
    return SchemaFile(schema, reader.diagnostics, of: source)
  }
}
