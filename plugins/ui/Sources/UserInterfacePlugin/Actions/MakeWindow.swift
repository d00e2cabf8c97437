import FlowModel
import FlowPluginKit

/// Creates the window with its tabs, still hidden, and connects the scene (L17, R15).
struct MakeWindow: AsyncAction, DetailedAction {
  static let name = "ui.window"
  static let effect = ActionEffect.process
  static let summary = "Makes the window with its tabs, not yet visible, and posts scene.connect"
  static let events = [LifecycleEvent.sceneConnect.rawValue]
  static let requires: [HandleKey] = [.userInterface]
  static let errors = [
    ErrorDeclaration(
      "tabs-invalid", "There are no tabs, a tab appears twice, or the selected one does not exist", isRetryable: false)
  ]
  static let example = """
    uses: ui.window
    needs: [launch-app, language]
    queue: main
    with:
      tabs: [map, routes, badges, profile]
      environment: { language: "${{ steps.language.outputs.language }}" }
    """

  struct Input: ActionInput {
    @Field("The names of the tabs, in order") var tabs: [String]
    @Field("The tab in front unless another is restored; without it, the first") var selected: String?
    @Field("What every view can read: the results of the managers") var environment: ValueObject = [:]
    @Field("The pages that can be built over the tabs; without it, any") var pages: [String]?
  }

  struct Output: ActionOutput {
    var tab: String
    var tabs: [String]

    static let summaries = ["tab": "The tab in front", "tabs": "All tabs in order"]
  }

  static func check(_ input: LiteralInput) -> [InputProblem] {
    guard let tabs = input["tabs"]?.arrayValue?.compactMap(\.stringValue) else { return [] }
    if let selected = input["selected"]?.stringValue, !tabs.isEmpty, !tabs.contains(selected) {
      return [InputProblem("selected", unknown(selected, tabs))]
    }
    return problem(with: tabs).map { [InputProblem("tabs", $0)] } ?? []
  }

  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> Output {
    let problem =
      Self.problem(with: input.tabs)
      ?? input.selected.flatMap { input.tabs.contains($0) ? nil : Self.unknown($0, input.tabs) }
    if let problem { throw ActionError("tabs-invalid", problem, isRetryable: false) }
    let session: InterfaceSession = try context.handle(InterfaceSession.key)
    let content = WindowContent(
      tabs: input.tabs, selected: input.selected ?? input.tabs[0], environment: input.environment, pages: input.pages)
    let interface = session.interface
    let tab = try await context.calling(interface) { try await interface.makeWindow(content) }
    try context.post(LifecycleEvent.sceneConnect.rawValue)
    return Output(tab: tab, tabs: input.tabs)
  }

  private static func problem(with tabs: [String]) -> String? {
    if tabs.isEmpty { return "a content view needs at least one tab" }
    var names: Set<String> = []
    return tabs.first { !names.insert($0).inserted }.map { "the tab '\($0)' appears twice" }
  }

  private static func unknown(_ tab: String, _ tabs: [String]) -> String {
    "there is no tab '\(tab)'; the tabs are \(tabs.joined(separator: ", "))"
  }
}
