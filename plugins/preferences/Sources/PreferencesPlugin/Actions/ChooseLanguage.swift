import FlowModel
import FlowPluginKit

/// Chooses the language: the saved one, or the system's, or a fallback (L11).
struct ChooseLanguage: Action, DetailedAction {
  static let name = "preferences.language"
  static let summary = "Chooses the language: the saved one, else the system's, else a fallback"
  static let provides: [HandleKey] = [ManagerRoster.runKey]
  static let requires: [HandleKey] = [.keyValueStore]
  static let errors = [
    ErrorDeclaration(
      "fallback-unsupported", "The fallback is not among the supported languages; correct one of them",
      isRetryable: false)
  ]
  static let example = """
    uses: preferences.language
    needs: open-store
    with: { supported: [en, zh-Hans], fallback: en }
    estimate: 50ms..150ms
    """

  struct Input: ActionInput {
    @Field("A language that takes precedence over the saved one") var override: String?
    @Field("The languages the application speaks, as BCP 47 tags") var supported = ["en", "zh-Hans"]
    @Field("The language if no preferred one is supported; one of `supported`") var fallback = "en"
  }

  struct Output: ActionOutput {
    var language: String
    var source: PreferenceSource

    static let summaries = [
      "language": "One of the supported languages", "source": "Where it comes from: override, saved, system or default",
    ]
  }

  static func check(_ input: LiteralInput) -> [InputProblem] {
    let supported = (input["supported"]?.arrayValue).map { $0.compactMap(\.stringValue) } ?? Input().supported
    var problems = supported.enumerated().filter { !LanguageTag.isValid($1) }.map { index, tag in
      InputProblem("supported[\(index)]", "'\(tag)' is not a language tag", help: "write a tag such as zh-Hans or en")
    }
    let fallback = input["fallback"]?.stringValue ?? Input().fallback
    if !supported.contains(fallback) {
      problems.append(
        InputProblem(
          input["fallback"] == nil ? "supported" : "fallback", Self.message(fallback, supported),
          help: "add it to `supported`, or choose another fallback"))
    }
    return problems
  }

  func run(_ input: Input, in context: ActionContext) throws -> Output {
    guard input.supported.contains(input.fallback) else {
      throw ActionError("fallback-unsupported", Self.message(input.fallback, input.supported), isRetryable: false)
    }
    let system: any SystemPreferences = try context.handle(.systemPreferences)
    let choice = try ManagerRoster.language(in: context).choose(
      override: input.override, system: system.languages, supported: input.supported, fallback: input.fallback)
    if let unsupported = choice.unsupported {
      context.log("the language '\(unsupported)' is not supported; using '\(choice.language)'", level: .warning)
    }
    return Output(language: choice.language, source: choice.source)
  }

  private static func message(_ fallback: String, _ supported: [String]) -> String {
    "the fallback '\(fallback)' is not among the supported languages: \(supported.joined(separator: ", "))"
  }
}
