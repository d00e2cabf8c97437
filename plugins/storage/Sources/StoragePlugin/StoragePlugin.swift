import FlowPluginKit

/// Keeps an app's tables and key-value pairs in a SQLite store.
public struct StoragePlugin: Plugin {
  /// The plugin's name.
  public static let name = "storage"

  /// Creates the plugin.
  public init() {}

  /// The actions whose names begin with `storage.`.
  public var actions: [any ActionType.Type] {
    [OpenStore.self, ReadValues.self, Query.self, Execute.self]
  }

  /// The actions that moved to the Footprint app's plugin.
  public var details: PluginDetails {
    PluginDetails(
      movedNames: [
        "storage.trips": "footprint.trips", "storage.destinations": "footprint.destinations",
        "storage.recent-destinations": "footprint.recent-destinations", "storage.statistics": "footprint.statistics",
        "storage.install-templates": "footprint.install-templates",
        "storage.check-resources": "footprint.check-resources", "storage.open.sample": "footprint.prepare.sample",
        "storage.open.imported": "footprint.prepare.imported",
      ])
  }
}
