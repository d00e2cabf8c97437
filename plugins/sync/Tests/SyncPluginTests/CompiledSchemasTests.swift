import FlowModel
import FlowPluginKit
import FlowTestKit
import Foundation
import SyncRecords
import SyncYAML
import Testing

@testable import SyncPlugin

/// Schemas compiled into an app, which cannot read YAML.
@Suite(.timeLimit(.minutes(10))) struct CompiledSchemasTests {
  private static let text = "schema: n\ncollections: { notes: { fields: { title: { type: string } } } }"
  private let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "sync-compiled-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  private func compiled() throws -> CompiledSchema {
    let schema = try #require(YAMLSchemas().read(Array(Self.text.utf8), file: "notes.sync.yaml").schema)
    return CompiledSchema(schema, file: "notes.sync.yaml")
  }

  private func connected(_ plugin: SyncPlugin, schema: String = "notes.sync.yaml") async throws -> TestHost {
    let handles = Dictionary(uniqueKeysWithValues: plugin.handles.map { ($0.key, $0.handle) })
    let host = TestHost(dataFolder: folder, workflowFolder: folder, handles: handles)
    _ = try await host.call(
      Connect.self, with: ["device": "phone", "store": "shared.sqlite", "schema": .string(schema)])
    return host
  }

  private func error(_ plugin: SyncPlugin, schema: String = "notes.sync.yaml") async -> ActionError? {
    do {
      try await connected(plugin, schema: schema).closeHandles()
      return nil
    } catch {
      return error as? ActionError
    }
  }

  @Test(arguments: ["notes.sync.yaml", "schemas/notes.sync.yaml"])
  func `a workflow names a compiled schema by its file, which does not have to exist`(_ name: String) async throws {
    let host = try await connected(SyncPlugin(schemas: [try compiled()]), schema: name)
    _ = try await host.call(Put.self, with: ["collection": "notes", "key": "a", "fields": ["title": "x"]])
    let record = try await host.call(Get.self, with: ["collection": "notes", "key": "a"])["record"]
    #expect(record?.objectValue?["title"] == "x")
    try host.closeHandles()
  }

  @Test func `without a YAML reader, a schema that is not compiled causes an error with a remedy`() async throws {
    try Self.text.write(toFile: folder + "/notes.sync.yaml", atomically: true, encoding: .utf8)
    let none = try #require(await error(SyncPlugin()))
    #expect(none.code == "sync-schema")
    #expect(
      none.message
        == "the schema 'notes.sync.yaml' is not compiled into this program, which does not read YAML; "
        + "build it with FlowrunBuildPlugin and write SyncPlugin(schemas: Schemas.all)")
    let other = await error(SyncPlugin(schemas: [try compiled()]), schema: "note.sync.yaml")
    #expect(
      other?.message.contains("; compiled are 'notes.sync.yaml'; build it") == true, "\(String(describing: other))")
  }

  @Test func `a damaged compiled schema causes an error, and no file is created`() async throws {
    let damaged = CompiledSchema(file: "notes.sync.yaml", bytes: Array(try compiled().bytes.dropLast()))
    let error = try #require(await error(SyncPlugin(schemas: [damaged])))
    #expect(error.code == "sync-schema" && error.message.contains("'notes.sync.yaml' is damaged"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
  }

  @Test func `the sync plugin declares schema files in flowrun, but no file kinds in an app`() {
    #expect(SyncPlugin(schemas: []).details.fileKinds.isEmpty)
    #expect(SyncPlugin(reader: YAMLSchemas()).details.fileKinds.map(\.suffix) == [".sync.yaml"])
  }
}
