import FlowPluginKit

/// Where a coordinate is, and where a name is: offline, in English and Chinese.
///
/// ```swift
/// GeocodePlugin()                          // the tables that are installed with the program
/// GeocodePlugin(provider: MyProvider())    // another source, such as the platform's own geocoder
/// ```
public struct GeocodePlugin: Plugin {
  /// `geocode`.
  public static let name = "geocode"

  /// The provider, for every action of the plugin.
  public let handles: [PluginHandle]

  /// The plugin over a provider; the default reads its tables when it is first used (L22).
  public init(provider: any GeocodeProvider = OfflineGeocodeProvider()) {
    handles = [PluginHandle(.geocodeProvider, provider)]
  }

  /// Everything that begins with `geocode.`.
  public var actions: [any ActionType.Type] {
    [
      PrepareGeocoder.self, ReverseGeocode.self, ReverseGeocodeAll.self, ForwardGeocode.self, ListGeocodeCountries.self,
    ]
  }
}
