import FlowBuild
import SyncRecords
import SyncYAML

extension PackageFileKind {
  /// The same kind of file as in the build plugin's tool, but for the module that the tests link.
  static var schemas: PackageFileKind {
    PackageFileKind(
      suffix: SchemaFile.suffix, name: "schema", namespace: ("Schemas", "The schemas."), type: "CompiledSchema",
      products: ["SyncKit", "SyncPlugin", "SyncRecords"]
    ) { bytes, file in
      let read = YAMLSchemas().read(bytes, file: file)
      return Result(
        bytes: read.schema.map { CompiledSchema($0, file: file).bytes }, diagnostics: read.diagnostics,
        source: read.source)
    }
  }
}
