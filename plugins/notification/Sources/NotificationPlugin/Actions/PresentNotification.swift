import FlowModel
import FlowPluginKit

/// Shows a notification that arrives while the application is in the foreground. It opens nothing (N10, N23).
struct PresentNotification: AsyncAction {
  static let name = "notification.present"
  static let effect = ActionEffect.process
  static let summary = "Shows the banner of a notification that arrives while the application is in front"
  static let requires: [HandleKey] = [.userInterface]
  static let example = """
    uses: notification.present
    needs: [parse, launch-app]
    after: ui.ready
    queue: main
    with: { title: "${{ steps.parse.outputs.title }}", body: "${{ steps.parse.outputs.body }}" }
    """

  struct Input: ActionInput {
    @Field("The title") var title: String = ""
    @Field("The text") var body: String = ""
    @Field("The major version of iOS, which decides between banner and alert") var osVersion: Int =
      18
  }

  struct Output: ActionOutput {
    var shown: Bool
    var options: [String]

    static let summaries = [
      "shown": "Whether the application showed it; behind another one the system does",
      "options": "How it is shown: banner from iOS 14 on, alert before; sound; badge",
    ]
  }

  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> Output {
    let interface: any UserInterface = try context.handle(.userInterface)
    let options = Self.options(osVersion: input.osVersion)
    guard try await context.calling(interface, { await interface.isReady }) else {
      context.log("no window is in front: the system shows the notification")
      return Output(shown: false, options: options)
    }
    try await context.calling(interface) { try await interface.showBanner(title: input.title, body: input.body) }
    context.log("banner '\(input.title)' with \(options.joined(separator: ", "))")
    return Output(shown: true, options: options)
  }

  /// Returns the presentation options for a system version. Banners exist since iOS 14 (N23).
  static func options(osVersion: Int) -> [String] { [osVersion >= 14 ? "banner" : "alert", "sound", "badge"] }
}
