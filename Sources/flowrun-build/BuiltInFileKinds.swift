import FlowBuild
import SyncRecords
import SyncYAML

/// The kinds of plugin files that are compiled into apps.
enum BuiltInFileKinds {
  static let all = [
    PackageFileKind(
      suffix: SchemaFile.suffix, name: "schema",
      namespace: ("Schemas", "The schemas of records of this target, for `SyncPlugin(schemas: Schemas.all)`."),
      type: "CompiledSchema", products: ["SyncKit", "SyncPlugin"]
    ) { bytes, file in
      let read = YAMLSchemas().read(bytes, file: file)
      let name = file.split(separator: "/").last.map(String.init) ?? file
      return PackageFileKind.Result(
        bytes: read.schema.map { CompiledSchema($0, file: name).bytes }, diagnostics: read.diagnostics,
        source: read.source)
    }
  ]
}
