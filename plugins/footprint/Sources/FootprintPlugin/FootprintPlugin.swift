import FlowPluginKit

/// The trips and places of the Footprint app, the example whose launch `workflows/launch.yaml` describes.
public struct FootprintPlugin: Plugin {
  /// `footprint`.
  public static let name = "footprint"

  /// The plugin.
  public init() {}

  /// Everything that begins with `footprint.`.
  public var actions: [any ActionType.Type] {
    [
      Prepare.self, RecentDestinations.self, Trips.self, Destinations.self, Statistics.self, InstallTemplates.self,
      CheckResources.self,
    ]
  }
}
