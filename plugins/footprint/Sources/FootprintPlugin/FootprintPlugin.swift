import FlowPluginKit

/// The trips, places and countries of the Footprint app, the example launched by `workflows/launch.yaml`.
public struct FootprintPlugin: Plugin {
  /// The plugin's name.
  public static let name = "footprint"

  /// Creates the plugin.
  public init() {}

  /// The actions whose names begin with `footprint.`.
  public var actions: [any ActionType.Type] {
    [
      Prepare.self, RecentDestinations.self, Trips.self, Destinations.self, Statistics.self, InstallTemplates.self,
      CheckResources.self, ListCountries.self,
    ]
  }
}
