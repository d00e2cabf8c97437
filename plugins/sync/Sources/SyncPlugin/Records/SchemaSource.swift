import FlowModel
import FlowPluginKit
import SyncDevice
import SyncRecords

/// The compiled schemas of an app, and the reader of other schemas.
struct SchemaSource: Sendable {
  var compiled: [CompiledSchema] = []
  var reader: (any SchemaReading)?

  /// Returns the schema that a workflow names, wherever its file was. Throws an `ActionError` with the problem.
  func schema(at path: String, bytes: () -> [UInt8]?) throws -> RecordSchema {
    do throws(CompiledSchemaError) {
      if let compiled = compiled(path) { return try compiled.schema() }
    } catch {
      throw ActionError(Failure.schema.code, "\(error)")
    }
    guard let reader else { throw ActionError(Failure.schema.code, unreadable(path)) }
    guard let bytes = bytes() else { throw ActionError(Failure.schema.code, "the schema '\(path)' cannot be read") }
    let file = reader.read(bytes, file: path)
    guard let schema = file.schema else { throw ActionError(Failure.schema.code, file.rendered()) }
    return schema
  }

  /// The compiled schema of a file with this name, or nil.
  func compiled(_ path: String) -> CompiledSchema? {
    let name = Self.name(of: path)
    return compiled.first { $0.file == name }
  }

  private func unreadable(_ path: String) -> String {
    let known = compiled.map { "'\($0.file)'" }.joined(separator: ", ")
    return "the schema '\(Self.name(of: path))' is not compiled into this program, which does not read YAML"
      + (known.isEmpty ? "" : "; compiled are \(known)")
      + "; build it with FlowrunBuildPlugin and write SyncPlugin(schemas: Schemas.all)"
  }

  private static func name(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }
}

extension HandleKey {
  /// The compiled schemas of an app.
  static let syncSchemas: HandleKey = "sync-schemas"
}
