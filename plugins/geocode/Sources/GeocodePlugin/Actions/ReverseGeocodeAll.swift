import FlowModel
import FlowPluginKit
import GeocodeCore

/// Describes the place of each coordinate in a list as a person would.
struct ReverseGeocodeAll: Action, DetailedAction {
  static let name = "geocode.reverse-all"
  static let isPortable = true
  static let summary = "Returns city, province and country of each place of a list, in the user's language"
  static let errors =
    GeocodeError.lookupDeclarations.filter { $0.code != "no-result" } + [
      GeocodeError.invalidCoordinateDeclaration, GeocodeError.outOfRangeDeclaration, NameLanguage.invalidDeclaration,
    ]
  static let example = """
    uses: geocode.reverse-all
    needs: destinations
    with:
      places: ${{ steps.destinations.outputs.destinations }}
      language: zh-Hans
    """

  struct Input: ActionInput {
    @Field("Objects with latitude, longitude and perhaps name") var places: [ValueObject]
    @Field("The language of the lines: en or zh, as a tag such as zh-Hans; for other languages, English and a warning")
    var language: String = "en"
    @Field("Cities with fewer inhabitants are ignored") var minimumPopulation: Int = 0
  }

  struct Output: ActionOutput {
    static let summaries = [
      "lines": "A line for each place: its name, then locality, province and country",
      "results": "The outputs of geocode.reverse for each place; null on the open sea",
      "count": "How many places there were",
      "countries": "The codes of the countries, each once, in order of appearance",
      "language": "The language of the lines: en or zh",
    ]
    var lines: [String]
    var results: [Value]
    var count: Int
    var countries: [String]
    var language: String
  }

  static func check(_ input: LiteralInput) -> [InputProblem] {
    GeocodeLimits.problems(input) + NameLanguage.problem(input)
  }

  func run(_ input: Input, in context: ActionContext) throws -> Output {
    _ = try context.withGeocoder { _ throws(GeocodeError) in
      try GeocodeLimits.require("minimum-population", GeocodeLimits.problem(population: input.minimumPopulation))
    }
    let language = try NameLanguage.choose(input.language, in: context)
    let isChinese = language == .chinese
    var output = Output(
      lines: [], results: [], count: input.places.count, countries: [], language: language.rawValue)
    for (index, given) in input.places.enumerated() {
      let answer = try context.withGeocoder { provider throws(GeocodeError) in
        try Self.reverse(given, at: index, minimumPopulation: input.minimumPopulation, provider)
      }
      output.results.append(answer.map { .object(ReverseGeocode.Output($0).values) } ?? .null)
      if let code = answer?.place.countryCode, !output.countries.contains(code) { output.countries.append(code) }
      let words = answer.map { Self.words($0.place, isChinese: isChinese) } ?? [isChinese ? "公海" : "open sea"]
      let name = given["name"]?.stringValue.map { $0 + (isChinese ? "：" : ": ") } ?? ""
      output.lines.append(name + words.joined(separator: isChinese ? "，" : ", "))
      context.log(output.lines[index])
    }
    return output
  }

  private static func reverse(
    _ given: ValueObject, at index: Int, minimumPopulation: Int, _ provider: any GeocodeProvider
  ) throws(GeocodeError) -> ReverseAnswer? {
    guard let latitude = given["latitude"]?.numberValue, let longitude = given["longitude"]?.numberValue else {
      throw .invalidCoordinate("places[\(index)] must have numbers under latitude and longitude")
    }
    let coordinate: Coordinate
    do throws(InvalidCoordinate) {
      coordinate = try Coordinate(latitude: latitude, longitude: longitude)
    } catch {
      throw .invalidCoordinate("places[\(index)]: \(error)")
    }
    do throws(GeocodeError) {
      return try provider.reverse(coordinate, options: .init(minimumPopulation: minimumPopulation))
    } catch {
      if case .noResult = error { return nil }
      throw error
    }
  }

  /// Returns the names of the locality, the province and the country. A name that repeats an earlier one is omitted, as
  /// for Singapore. If `isChinese` is true, Chinese names are preferred.
  private static func words(_ place: NamedPlace, isChinese: Bool) -> [String] {
    let all: [String?] =
      isChinese
      ? [
        place.localityChinese ?? place.locality, place.admin1Chinese ?? place.admin1,
        place.countryChinese ?? place.country,
      ]
      : [place.locality, place.admin1, place.country]
    var words: [String] = []
    for word in all.compactMap({ $0 }) where !words.contains(where: { Self.isSame(word, as: $0) }) {
      words.append(word)
    }
    return words
  }

  /// True if two names are equal or differ only in a Chinese ending, such as 北京市 and 北京.
  private static func isSame(_ word: String, as known: String) -> Bool {
    word == known || ["市", "省", "特别行政区"].contains { word == known + $0 || known == word + $0 }
  }
}
