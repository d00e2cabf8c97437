import FlowModel
import FlowPluginKit
import SyncDevice
import SyncEngine
import SyncRecords
@_exported import protocol SyncRecords.SchemaReading
@_exported import struct SyncRecords.CompiledSchema

/// Synchronizes records of any app between devices within seconds, and supports working offline.
///
/// ```swift
/// SyncPlugin(schemas: Schemas.all)                 // the schemas that the build plugin has compiled
/// SyncPlugin { _ in MemoryBackend(zones: zones) }  // a network in memory, for tests
/// ```
public struct SyncPlugin: Plugin {
  /// The plugin's name and the prefix of its actions, such as `sync.put`.
  public static let name = "sync"

  private let schemas: SchemaSource
  private let network: SyncNetwork?
  private let connections = OpenConnections()

  /// Creates the plugin.
  ///
  /// - Parameters:
  ///   - schemas: the compiled schemas, which `sync.connect` finds by the names of their files.
  ///   - reader: reads all other `*.sync.yaml` files at run time. Without a reader, only compiled schemas can be used.
  ///   - network: connects to the address given as `server` to `sync.connect`. If nil, the address is that of a sync
  ///     server.
  public init(
    schemas: [CompiledSchema] = [], reader: (any SchemaReading)? = nil,
    network: (@Sendable (_ address: String) throws -> any SyncBackend)? = nil
  ) {
    self.schemas = SchemaSource(compiled: schemas, reader: reader)
    self.network = network.map(SyncNetwork.init)
  }

  /// The handles used by the actions: schemas, open connections and, if set, the app's network.
  public var handles: [PluginHandle] {
    [PluginHandle(.syncSchemas, schemas), PluginHandle(.syncConnections, connections)]
      + (network.map { [PluginHandle(.syncNetwork, $0)] } ?? [])
  }

  /// All actions of the plugin. Their names start with `sync.`.
  public var actions: [any ActionType.Type] {
    [
      Account.self, Connect.self, Flush.self, Status.self, Parked.self, Subscribe.self, Put.self, Get.self, Delete.self,
      Query.self, Watch.self, Transaction.self,
    ]
  }

  /// The actions that have moved to the plugin `pomodoro`, the check of a workflow's use of records, and the files that
  /// contain schemas.
  public var details: PluginDetails {
    PluginDetails(
      checks: [RecordUseCheck(schemas: schemas)], fileKinds: fileKinds,
      movedNames: ["sync.timer": "pomodoro.timer", "sync.push": "pomodoro.push", "sync.pull": "pomodoro.pull"])
  }

  /// Record schemas in `*.sync.yaml` files, if the plugin has a reader for them.
  private var fileKinds: [PluginFileKind] {
    guard let reader = schemas.reader else { return [] }
    return [
      PluginFileKind(
        suffix: SchemaFile.suffix, name: "a schema of records", use: "run the workflow that names it in 'sync.connect'"
      ) { bytes, path in
        let file = reader.read(bytes, file: path)
        let summary = file.schema.map {
          "valid, \($0.collections.count) collection\($0.collections.count == 1 ? "" : "s")"
        }
        return PluginFileKind.Check(file.source, file.diagnostics, summary: summary)
      }
    ]
  }
}

struct SyncNetwork: Sendable {
  let backend: @Sendable (_ address: String) throws -> any SyncBackend
}

extension HandleKey {
  static let syncNetwork: HandleKey = "sync-network"
}
