import FlowPluginKit

/// Provides the location of the device: the permission, a first position, and further positions during the run.
///
/// ```swift
/// LocationPlugin()                              // positions from a GPX track, as on Linux
/// LocationPlugin(source: CoreLocationSource())  // an app's own
/// ```
public struct LocationPlugin: Plugin {
  /// The plugin's name, which is also the prefix of its actions' names.
  public static let name = "location"

  /// The handles through which steps reach the source of positions and the shared state.
  public let handles: [PluginHandle]

  /// Creates the plugin. The default source simulates tracks. Creating the plugin neither asks for permission nor reads
  /// anything (L20).
  public init(source: any LocationSource = TrackLocationSource()) {
    handles = [PluginHandle(.locationSource, source), PluginHandle(.locationCenter, LocationCenter())]
  }

  /// The actions whose names begin with `location.`.
  public var actions: [any ActionType.Type] {
    [PrepareLocation.self, RequestLocationPermission.self, StartLocation.self, StopLocation.self]
  }
}
