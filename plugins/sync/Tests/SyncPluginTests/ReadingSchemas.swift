import FlowModel
import SyncYAML

@testable import SyncPlugin

extension [HandleKey: any Sendable] {
  /// What runs of `flowrun` have: a reader of schemas.
  static var readingSchemas: Self { [.syncSchemas: SchemaSource(reader: YAMLSchemas())] }
}
