import FlowModel
import FlowPluginKit

/// Loads the tables early, so that the first lookup does not have to wait (L22).
struct PrepareGeocoder: Action {
  static let name = "geocode.prepare"
  static let summary = "Loads the geocoder's tables, so that the first lookup does not wait; uses no network"
  static let errors = GeocodeError.lookupDeclarations.filter { $0.code == "data-corrupt" || $0.code == "cancelled" }
  static let example = """
    uses: geocode.prepare
    queue: background
    blocking: false
    """

  struct Output: ActionOutput {
    static let summaries = [
      "places": "Named places", "regions": "First-level divisions", "countries": "Countries and territories",
      "loaded": "Whether this step loaded them; false when they were there",
    ]
    var places: Int
    var regions: Int
    var countries: Int
    var loaded: Bool
  }

  func run(_ input: NoInput, in context: ActionContext) throws -> Output {
    let found = try context.withGeocoder { provider throws(GeocodeError) in try provider.prepare() }
    return Output(places: found.places, regions: found.regions, countries: found.countries, loaded: found.loaded)
  }
}
