import FlowModel
import FlowPluginKit
import SyncEngine
import SyncRecords

/// Keeps the records of any app the same on several devices, within seconds, offline too.
///
/// ```swift
/// SyncPlugin()                                     // reaches sync servers
/// SyncPlugin { _ in MemoryBackend(zones: zones) }  // a network in memory, for tests
/// ```
public struct SyncPlugin: Plugin {
  /// `sync`.
  public static let name = "sync"

  /// The network of the runs, if it is not the system's.
  public let handles: [PluginHandle]

  /// The plugin; `network` gives what is reached at the address that `server` of `sync.connect` names. Nil: a sync server.
  public init(network: (@Sendable (_ address: String) throws -> any SyncBackend)? = nil) {
    handles = network.map { [PluginHandle(.syncNetwork, SyncNetwork(backend: $0))] } ?? []
  }

  /// Everything that begins with `sync.`.
  public var actions: [any ActionType.Type] {
    [
      Account.self, Connect.self, Flush.self, Status.self, Parked.self, Subscribe.self, Put.self, Get.self, Delete.self,
      Query.self, Watch.self, Transaction.self,
    ]
  }

  /// What belongs to the Pomodoro timer.
  public var movedNames: KeyValuePairs<String, String> {
    ["sync.timer": "pomodoro.timer", "sync.push": "pomodoro.push", "sync.pull": "pomodoro.pull"]
  }

  /// Checks the use of records against their schema.
  public var checks: [any WorkflowCheckProvider] { [RecordUseCheck()] }

  /// Schemas of records, `*.sync.yaml`.
  public var fileKinds: [PluginFileKind] {
    [
      PluginFileKind(
        suffix: SchemaFile.suffix, name: "a schema of records", use: "run the workflow that names it in 'sync.connect'"
      ) { bytes, path in
        let file = SchemaFile(bytes: bytes, file: path)
        let summary = file.schema.map {
          "valid, \($0.collections.count) collection\($0.collections.count == 1 ? "" : "s")"
        }
        return PluginFileKind.Check(file.source, file.diagnostics, summary: summary)
      }
    ]
  }
}

/// Carries the network of an app under its key.
struct SyncNetwork: Sendable {
  let backend: @Sendable (_ address: String) throws -> any SyncBackend
}

extension HandleKey {
  /// The network, if an app has one of its own.
  static let syncNetwork: HandleKey = "sync-network"
}
