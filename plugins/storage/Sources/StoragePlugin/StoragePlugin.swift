import FlowPluginKit

/// Keeps journeys and small values in a SQLite store.
public struct StoragePlugin: Plugin {
  /// `storage`.
  public static let name = "storage"

  /// The plugin.
  public init() {}

  /// Everything that begins with `storage.`.
  public var actions: [any ActionType.Type] {
    [
      OpenStore.self, RecentDestinations.self, Trips.self, Destinations.self, Statistics.self, ReadValues.self,
      Query.self, InstallTemplates.self, CheckResources.self,
    ]
  }
}
