import FlowPluginKit

/// Stores tables and key-value pairs of an app in an SQLite database.
public struct StoragePlugin: Plugin {
  /// The plugin's name, which is also the prefix of its actions' names.
  public static let name = "storage"

  /// Creates the plugin. It has no options.
  public init() {}

  /// The actions whose names begin with `storage.`.
  public var actions: [any ActionType.Type] {
    [OpenStore.self, ReadValues.self, Query.self, Execute.self]
  }

  /// The actions that have moved to the plugin of the Footprint app.
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
