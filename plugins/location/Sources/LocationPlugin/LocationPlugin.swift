import FlowPluginKit

/// Where the device is: permission, a first fix, and positions for as long as the run lasts.
///
/// ```swift
/// LocationPlugin()                              // positions from a GPX track, as on Linux
/// LocationPlugin(source: CoreLocationSource())  // an app's own
/// ```
public struct LocationPlugin: Plugin {
  /// `location`.
  public static let name = "location"

  /// The source of positions, and what the run's actions share.
  public let handles: [PluginHandle]

  /// The plugin over a source; the default plays tracks. Making it asks for nothing and reads nothing (L20).
  public init(source: any LocationSource = TrackLocationSource()) {
    handles = [PluginHandle(.locationSource, source), PluginHandle(.locationCenter, LocationCenter())]
  }

  /// Everything that begins with `location.`.
  public var actions: [any ActionType.Type] {
    [PrepareLocation.self, RequestLocationPermission.self, StartLocation.self, StopLocation.self]
  }
}
