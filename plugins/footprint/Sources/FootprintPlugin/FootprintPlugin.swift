import FlowPluginKit

/// The trips, places and countries of the Footprint app, an example that `workflows/launch.yaml` launches.
public struct FootprintPlugin: Plugin {
  /// The plugin's name, which is also the prefix of its actions' names.
  public static let name = "footprint"

  /// Creates the plugin. It has no options.
  public init() {}

  /// The actions whose names begin with `footprint.`.
  public var actions: [any ActionType.Type] {
    [
      Prepare.self, RecentDestinations.self, Trips.self, Destinations.self, Statistics.self, InstallTemplates.self,
      CheckResources.self, ListCountries.self,
    ]
  }
}
