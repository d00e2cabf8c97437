import FlowPluginKit

/// Keeps a Pomodoro timer and the records of any app the same on several devices, within seconds, offline too.
public struct SyncPlugin: Plugin {
  /// `sync`.
  public static let name = "sync"

  /// The plugin.
  public init() {}

  /// Everything that begins with `sync.`.
  public var actions: [any ActionType.Type] {
    [
      Account.self, Connect.self, Push.self, Pull.self, Flush.self, Status.self, Parked.self, Subscribe.self,
      Timer.self, Put.self, Get.self, Delete.self, Query.self, Watch.self, Transaction.self,
    ]
  }
}
