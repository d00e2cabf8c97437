import FlowModel
import FlowPluginKit
import SyncDevice
import SyncRecords

/// Finds schemas: compiled ones by name, and all others with the reader.
struct SchemaSource: Sendable {
  var compiled: [CompiledSchema] = []
  var reader: (any SchemaReading)?

  /// Returns the schema at a path in a workflow. Compiled schemas are found by file name. Throws an `ActionError` if
  /// the schema cannot be read or is invalid.
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

  /// Returns the compiled schema with the file name of this path, or nil if there is none.
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
  static let syncSchemas: HandleKey = "sync-schemas"
}
