import FlowPluginKit

/// The location of the device: permission, a first fix, and positions while the run lasts.
///
/// ```swift
/// LocationPlugin()                              // positions from a GPX track, as on Linux
/// LocationPlugin(source: CoreLocationSource())  // an app's own
/// ```
public struct LocationPlugin: Plugin {
  /// The plugin's name.
  public static let name = "location"

  /// The source of positions, and the state shared by the run's actions.
  public let handles: [PluginHandle]

  /// Creates the plugin with a source; the default simulates tracks. Creating it neither asks for nor reads anything
  /// (L20).
  public init(source: any LocationSource = TrackLocationSource()) {
    handles = [PluginHandle(.locationSource, source), PluginHandle(.locationCenter, LocationCenter())]
  }

  /// The actions whose names begin with `location.`.
  public var actions: [any ActionType.Type] {
    [PrepareLocation.self, RequestLocationPermission.self, StartLocation.self, StopLocation.self]
  }
}
