import FlowModel
import FlowPluginKit

/// Chooses the appearance: the saved one, or the system's, or a default (L14).
struct ChooseAppearance: Action {
  static let name = "preferences.appearance"
  static let summary = "Chooses dark or light: the saved preference, else the system's, else a default"
  static let provides: [HandleKey] = [ManagerRoster.runKey]
  static let requires: [HandleKey] = [.keyValueStore]
  static let example = """
    uses: preferences.appearance
    needs: open-store
    estimate: 50ms
    """

  struct Input: ActionInput {
    @Field("The value if neither the user nor the system chooses") var `default` = Appearance.light
  }

  struct Output: ActionOutput {
    var appearance: Appearance
    var source: PreferenceSource

    static let summaries = [
      "appearance": "light or dark", "source": "Where it comes from: saved, system or default",
    ]
  }

  func run(_ input: Input, in context: ActionContext) throws -> Output {
    let system: any SystemPreferences = try context.handle(.systemPreferences)
    let choice = try ManagerRoster.appearance(in: context).choose(
      system: system.appearance, fallback: input.default)
    return Output(appearance: choice.appearance, source: choice.source)
  }
}
