import FlowModel
import SyncYAML

@testable import SyncPlugin

extension [HandleKey: any Sendable] {
  /// Handles with the YAML reader of schemas, as in runs of `flowrun`.
  static var readingSchemas: Self { [.syncSchemas: SchemaSource(reader: YAMLSchemas())] }
}
