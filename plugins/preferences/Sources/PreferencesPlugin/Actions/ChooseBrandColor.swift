import FlowModel
import FlowPluginKit

/// Chooses the brand color: the saved one, or a default (L13).
struct ChooseBrandColor: Action, DetailedAction {
  static let name = "preferences.brand-color"
  static let summary = "Chooses the brand color: the user's, else a default"
  static let provides: [HandleKey] = [ManagerRoster.runKey]
  static let requires: [HandleKey] = [.keyValueStore]
  static let errors = [
    ErrorDeclaration(
      "palette-invalid", "The palette has no such default or a color is not #RRGGBB; correct it", isRetryable: false)
  ]
  static let example = """
    uses: preferences.brand-color
    needs: open-store
    with: { palette: { coral: "#F75C62", ocean: "#1B75BC" }, default: coral }
    estimate: 50ms
    """

  struct Input: ActionInput {
    @Field("The colors on offer, name by name as #RRGGBB") var palette = BrandColorManager.palette
    @Field("The name of the color where the user chose none; without it, the first") var `default`: String?
  }

  struct Output: ActionOutput {
    var name: String
    var code: String
    var source: PreferenceSource

    static let summaries = [
      "name": "The color's name in the palette", "code": "The color as #RRGGBB",
      "source": "Where it comes from: saved or default",
    ]
  }

  static func check(_ input: LiteralInput) -> [InputProblem] {
    guard let palette = input["palette"]?.objectValue else { return [] }
    return palette.members.compactMap { member in
      if let code = member.value.stringValue, BrandColorManager.isCode(code) { return nil }
      return InputProblem(
        "palette.\(member.key)", "the color '\(member.key)' is not #RRGGBB",
        help: "write six hexadecimal digits in quotes")
    }
  }

  func run(_ input: Input, in context: ActionContext) throws -> Output {
    let palette = try input.palette.members.map { member -> BrandColorManager.Color in
      guard let code = member.value.stringValue, BrandColorManager.isCode(code) else {
        throw ActionError("palette-invalid", "the color '\(member.key)' is not #RRGGBB", isRetryable: false)
      }
      return BrandColorManager.Color(name: member.key, code: code)
    }
    guard let fallback = input.default.map({ name in palette.first { $0.name == name } }) ?? palette.first else {
      throw ActionError(
        "palette-invalid", "the palette has no color '\(input.default ?? "")'", isRetryable: false)
    }
    let choice = try ManagerRoster.brandColor(in: context).choose(from: palette, fallback: fallback)
    if let unknown = choice.unknown {
      context.log(
        "the palette has no color '\(unknown)', which was saved; using '\(choice.color.name)'", level: .warning)
    }
    return Output(name: choice.color.name, code: choice.color.code, source: choice.source)
  }
}
