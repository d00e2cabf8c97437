import FlowModel
import FlowPluginKit

/// Lists all countries with their names in the user's language (L12).
struct ListCountries: Action, DetailedAction {
  static let name = "footprint.country-list"
  static let summary = "Loads the list of countries of ISO 3166-1 and Kosovo, named in English or Chinese"
  static let errors = [NameLanguage.invalidDeclaration]
  static let example = """
    uses: footprint.country-list
    needs: language
    with: { language: "${{ steps.language.outputs.language }}" }
    estimate: 100ms..200ms
    """

  struct Input: ActionInput {
    @Field("The language of the names: en or zh, as a tag such as zh-Hans; for other languages, English and a warning")
    var language = "en"
  }

  struct Output: ActionOutput {
    var countries: [Value]
    var count: Int
    var language: String

    static let summaries = [
      "countries": "Objects with code and name, by code", "count": "How many there are",
      "language": "The language of the names: en or zh",
    ]
  }

  static func check(_ input: LiteralInput) -> [InputProblem] { NameLanguage.problem(input) }

  func run(_ input: Input, in context: ActionContext) throws -> Output {
    let language = try NameLanguage.choose(input.language, in: context)
    let countries = CountryNames.countries.map { country -> Value in
      ["code": .string(country.code), "name": .string(language == .chinese ? country.chinese : country.english)]
    }
    return Output(countries: countries, count: countries.count, language: language.rawValue)
  }
}
