import FlowModel
import FlowPluginKit
import GeocodeCore

/// Finds places, first-level divisions, countries and Chinese districts by name.
struct ForwardGeocode: Action, DetailedAction {
  static let name = "geocode.forward"
  static let isPortable = true
  static let summary = "Finds cities, provinces, countries and Chinese districts by name"
  static let errors =
    GeocodeError.lookupDeclarations + [
      GeocodeError.invalidCoordinateDeclaration, GeocodeError.outOfRangeDeclaration,
      ErrorDeclaration(
        "partial-result", "The country or province in the query was found, but not the place in it", isRetryable: false),
    ]
  static let example = """
    uses: geocode.forward
    with: { query: 深圳市, limit: 3 }
    """

  struct Input: ActionInput {
    @Field("The name, alone or with its region: Paris, Texas") var query: String
    @Field("Prefer places with the name within 100 km: an object with latitude and longitude") var near: ValueObject?
    @Field("Only within this country: an ISO 3166 code of two or three letters") var country: String?
    @Field("Most results, 1 … 100") var limit: Int = 10
  }

  struct Output: ActionOutput {
    static let summaries = [
      "results":
        "Every place with the name, best first: the fields of geocode.reverse with kind, closeness (exact, folded, prefix, similar), population",
      "count": "How many results there are", "best": "The first of them",
    ]
    var results: [ValueObject]
    var count: Int
    var best: ValueObject
  }

  static func check(_ input: LiteralInput) -> [InputProblem] {
    var problems = GeocodeLimits.problems(input)
    if case .object(let near)? = input["near"] {
      do throws(GeocodeError) { _ = try coordinate(near) } catch {
        problems.append(InputProblem("near", error.message))
      }
    }
    return problems
  }

  func run(_ input: Input, in context: ActionContext) throws -> Output {
    let answers = try context.withGeocoder { provider throws(GeocodeError) in
      try GeocodeLimits.require("limit", GeocodeLimits.problem(limit: input.limit))
      var near: Coordinate?
      if let given = input.near { near = try Self.coordinate(given) }
      return try provider.forward(input.query, near: near, countryCode: input.country, limit: input.limit)
    }
    let results = answers.map(Self.fields)
    return Output(results: results, count: results.count, best: results[0])
  }

  private static func coordinate(_ object: ValueObject) throws(GeocodeError) -> Coordinate {
    guard let latitude = object["latitude"]?.numberValue, let longitude = object["longitude"]?.numberValue else {
      throw .invalidCoordinate("near must have numbers under latitude and longitude")
    }
    do throws(InvalidCoordinate) {
      return try Coordinate(latitude: latitude, longitude: longitude)
    } catch {
      throw .invalidCoordinate("near: \(error)")
    }
  }

  private static func fields(_ answer: ForwardAnswer) -> ValueObject {
    let place = answer.place
    return [
      "kind": .string(answer.kind.rawValue), "closeness": .string(answer.closeness.rawValue),
      "locality": place.locality.value, "locality-zh": place.localityChinese.value,
      "sub-locality": place.subLocality.value, "sub-locality-zh": place.subLocalityChinese.value,
      "city": place.city.value, "city-zh": place.cityChinese.value, "admin1": place.admin1.value,
      "admin1-zh": place.admin1Chinese.value, "country-code": .string(place.countryCode),
      "country": .string(place.country), "country-zh": place.countryChinese.value,
      "divisions-zh": place.divisionsChinese.value, "time-zone": place.timeZone.value,
      "latitude": (place.coordinate?.latitude).value,
      "longitude": (place.coordinate?.longitude).value, "population": answer.population.value,
      "distance-kilometers": answer.distanceKilometers.map { ($0 * 1000).rounded() / 1000 }.value,
    ]
  }
}
