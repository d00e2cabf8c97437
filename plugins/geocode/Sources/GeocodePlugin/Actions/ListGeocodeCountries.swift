import FlowModel
import FlowPluginKit

/// Lists all countries and territories with their English and Chinese names (L12).
struct ListGeocodeCountries: Action {
  static let name = "geocode.countries"
  static let isPortable = true
  static let summary = "Lists all countries and territories, with their names in English and Chinese"
  static let errors = GeocodeError.lookupDeclarations.filter { $0.code == "data-corrupt" || $0.code == "cancelled" }
  static let example = """
    uses: geocode.countries
    with: { continent: EU }
    """

  /// The continents, with GeoNames' codes.
  enum Continent: String, FieldWord {
    case africa = "AF"
    case antarctica = "AN"
    case asia = "AS"
    case europe = "EU"
    case northAmerica = "NA"
    case oceania = "OC"
    case southAmerica = "SA"
  }

  struct Input: ActionInput {
    @Field("Only those of this continent") var continent: Continent?
  }

  struct Output: ActionOutput {
    static let summaries = [
      "countries": "In the order of their codes: code, code3, name, name-zh, capital, continent, neighbors",
      "count": "How many there are",
    ]
    var countries: [ValueObject]
    var count: Int
  }

  func run(_ input: Input, in context: ActionContext) throws -> Output {
    let all = try context.withGeocoder { provider throws(GeocodeError) in try provider.countries() }
    let countries = all.filter { input.continent == nil || $0.continent == input.continent?.rawValue }.map { country in
      [
        "code": .string(country.code), "code3": .string(country.code3), "name": .string(country.name),
        "name-zh": country.chineseName.value, "capital": country.capital.value,
        "continent": .string(country.continent), "neighbors": country.neighbors.value,
      ] as ValueObject
    }
    return Output(countries: countries, count: countries.count)
  }
}
