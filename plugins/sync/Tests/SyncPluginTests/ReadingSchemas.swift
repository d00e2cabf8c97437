import FlowModel
import SyncYAML

@testable import SyncPlugin

extension [HandleKey: any Sendable] {
  /// The reader of schemas for runs of `flowrun`.
  static var readingSchemas: Self { [.syncSchemas: SchemaSource(reader: YAMLSchemas())] }
}
