import FlowModel
import FlowPluginKit
import GeocodeCore

/// Finds the city, first-level division and country of a coordinate.
struct ReverseGeocode: Action, DetailedAction {
  static let name = "geocode.reverse"
  static let isPortable = true
  static let summary =
    "Returns the city, province, country and time zone of a coordinate, with names in English and Chinese"
  static let errors =
    GeocodeError.lookupDeclarations + [GeocodeError.invalidCoordinateDeclaration, GeocodeError.outOfRangeDeclaration]
  static let example = """
    uses: geocode.reverse
    with: { latitude: 22.5431, longitude: 114.0579 }
    """

  /// The levels of detail that a step can request.
  enum Level: String, FieldWord {
    case city, province, country
  }

  struct Input: ActionInput {
    @Field("Degrees north, -90 … 90") var latitude: Double
    @Field("Degrees east, -180 … 180") var longitude: Double
    @Field("The level of detail") var level: Level = .city
    @Field("Cities with fewer inhabitants are ignored") var minimumPopulation: Int = 0
    @Field("A city farther away is not an answer; outside all outlines there is then no answer")
    var maximumDistanceKilometers: Double = 100
    @Field("Takes a longitude beyond ±180 as further turns round the globe") var wrap: Bool = false
  }

  struct Output: ActionOutput {
    static let summaries = [
      "locality": "The city that a person would name", "locality-zh": "Its Chinese name",
      "sub-locality": "The quarter or borough of the locality", "sub-locality-zh": "Its Chinese name",
      "city": "The nearest place of the country: a city, a village or a quarter", "city-zh": "Its Chinese name",
      "admin1": "Province, state or the like", "admin1-zh": "Its Chinese name, where there is one",
      "country-code": "ISO 3166 code", "country": "The country", "country-zh": "Its Chinese name",
      "divisions-zh": "In China: province, prefecture and district",
      "time-zone": "IANA identifier of the time zone: Asia/Tokyo", "latitude": "Where `city` is",
      "longitude": "Where `city` is", "distance-kilometers": "From the coordinate to `city`",
      "method": "polygon, nearest, hybrid or override: what decided the country",
      "confidence": "How often an answer decided like this, as far from a border, has the right country, 0 … 1",
    ]
    var locality: String?
    var localityZh: String?
    var subLocality: String?
    var subLocalityZh: String?
    var city: String?
    var cityZh: String?
    var admin1: String?
    var admin1Zh: String?
    var countryCode: String
    var country: String
    var countryZh: String?
    var divisionsZh: [String]
    var timeZone: String?
    var latitude: Double?
    var longitude: Double?
    var distanceKilometers: Double?
    var method: String
    var confidence: Double

    /// Creates the outputs from a provider's answer. Distances are rounded to meters.
    init(_ answer: ReverseAnswer) {
      let place = answer.place
      locality = place.locality
      localityZh = place.localityChinese
      subLocality = place.subLocality
      subLocalityZh = place.subLocalityChinese
      city = place.city
      cityZh = place.cityChinese
      admin1 = place.admin1
      admin1Zh = place.admin1Chinese
      countryCode = place.countryCode
      country = place.country
      countryZh = place.countryChinese
      divisionsZh = place.divisionsChinese
      timeZone = place.timeZone
      latitude = place.coordinate?.latitude
      longitude = place.coordinate?.longitude
      distanceKilometers = answer.distanceKilometers.map { ($0 * 1000).rounded() / 1000 }
      method = answer.method.rawValue
      confidence = answer.confidence
    }

    /// Written by hand because a batch needs it a hundred thousand times per second.
    var values: ValueObject {
      func text(_ text: String?) -> Value { if let text { .string(text) } else { .null } }
      func number(_ number: Double?) -> Value { if let number { .number(number) } else { .null } }
      return [
        "locality": text(locality), "locality-zh": text(localityZh), "sub-locality": text(subLocality),
        "sub-locality-zh": text(subLocalityZh), "city": text(city), "city-zh": text(cityZh), "admin1": text(admin1),
        "admin1-zh": text(admin1Zh),
        "country-code": .string(countryCode), "country": .string(country), "country-zh": text(countryZh),
        "divisions-zh": .array(divisionsZh.map { .string($0) }), "time-zone": text(timeZone),
        "latitude": number(latitude), "longitude": number(longitude),
        "distance-kilometers": number(distanceKilometers), "method": .string(method),
        "confidence": .number(confidence),
      ]
    }
  }

  static func check(_ input: LiteralInput) -> [InputProblem] {
    var problems = GeocodeLimits.problems(input)
    if let latitude = input["latitude"]?.numberValue, let longitude = input["longitude"]?.numberValue {
      let wraps = input["wrap"] == .boolean(true)
      do throws(InvalidCoordinate) {
        _ = try Coordinate(latitude: latitude, longitude: longitude, wrapping: wraps)
      } catch {
        problems.append(
          InputProblem(error.reason == .longitudeOutOfRange ? "longitude" : "latitude", error.description))
      }
    }
    return problems
  }

  func run(_ input: Input, in context: ActionContext) throws -> Output {
    let answer = try context.withGeocoder { provider throws(GeocodeError) in
      try GeocodeLimits.require(
        "maximum-distance-kilometers", GeocodeLimits.problem(kilometers: input.maximumDistanceKilometers))
      try GeocodeLimits.require("minimum-population", GeocodeLimits.problem(population: input.minimumPopulation))
      let coordinate: Coordinate
      do throws(InvalidCoordinate) {
        coordinate = try Coordinate(latitude: input.latitude, longitude: input.longitude, wrapping: input.wrap)
      } catch {
        throw .invalidCoordinate(error.description)
      }
      return try provider.reverse(
        coordinate,
        options: .init(
          level: input.level.asked, minimumPopulation: input.minimumPopulation,
          maximumDistanceKilometers: input.maximumDistanceKilometers))
    }
    return Output(answer)
  }
}

extension ReverseGeocode.Level {
  /// The corresponding level of the geocoder.
  var asked: ReverseGeocoder.Level {
    switch self {
    case .city: .city
    case .province: .province
    case .country: .country
    }
  }
}
