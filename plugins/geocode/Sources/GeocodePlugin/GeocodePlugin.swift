import FlowPluginKit

/// Finds the place at a coordinate and the coordinate of a named place: offline, in English and Chinese.
///
/// ```swift
/// GeocodePlugin()                          // the tables that are installed with the program
/// GeocodePlugin(provider: MyProvider())    // another source, such as the platform's own geocoder
/// ```
public struct GeocodePlugin: Plugin {
  /// The plugin's name, which is also the prefix of its actions' names.
  public static let name = "geocode"

  /// The handle through which all actions of the plugin reach the provider.
  public let handles: [PluginHandle]

  /// Creates the plugin with a provider. The default provider loads its tables on first use (L22).
  public init(provider: any GeocodeProvider = OfflineGeocodeProvider()) {
    handles = [PluginHandle(.geocodeProvider, provider)]
  }

  /// All actions whose names start with `geocode.`.
  public var actions: [any ActionType.Type] {
    [
      PrepareGeocoder.self, ReverseGeocode.self, ReverseGeocodeAll.self, ForwardGeocode.self, ListGeocodeCountries.self,
    ]
  }
}
