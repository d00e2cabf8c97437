import FlowModel
import FlowPluginKit

/// Shows the launch screen until the window replaces it (R3). Its animation runs at the same time as the steps of the
/// launch, without delaying them (L27).
struct ShowSplash: StepService, DetailedAction {
  static let name = "ui.splash"
  static let effect = ActionEffect.process
  static let summary = "Shows the launch screen until ui.present takes its place"
  static let provides: [HandleKey] = [.launchScreen]
  static let requires: [HandleKey] = [.userInterface]
  static let errors = [
    ErrorDeclaration("splash-missing", "There is no such launch screen; correct the path", isRetryable: false),
    ErrorDeclaration("splash-too-large", "A launch screen may have 25 MB; make it smaller", isRetryable: false),
  ]
  static let example = """
    uses: ui.splash
    needs: launch-app
    with: { asset: launch-screen.storyboard }
    blocking: false
    """

  struct Input: ActionInput {
    @Field("The launch screen's file, at most 25 MB; without it, a plain one") var asset: SourcePath?
  }

  struct Output: ActionOutput {
    var sizeBytes: Int
    var shown: Bool

    static let summaries = [
      "size-bytes": "The size of the launch screen's file; 0 without one",
      "shown": "false if the window was there before it",
    ]
  }

  /// The maximum size of the file, which is the system's limit since iOS 14 (R4).
  static let limitBytes = UserInterfacePlugin.launchScreenLimitBytes

  static let imageSuffixes = ["png", "jpg", "jpeg", "gif", "heic", "webp", "bmp", "tiff", "pdf"]

  static func check(_ input: LiteralInput) -> [InputProblem] {
    guard let path = input["asset"]?.stringValue, let suffix = path.split(separator: ".").last?.lowercased(),
      imageSuffixes.contains(suffix)
    else { return [] }
    return [
      InputProblem(
        "asset", "a launch screen should not be a static image",
        help: "lay it out in a storyboard, which fits every screen",
        isWarning: true)
    ]
  }

  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> Output {
    let sizeBytes = try input.asset.map { try Self.size(of: $0.path) } ?? 0
    let session: InterfaceSession = try context.handle(InterfaceSession.key)
    let isLate = session.isSplashHidden
    let output = Output(sizeBytes: sizeBytes, shown: !isLate)
    guard !isLate else {
      // The splash would cover the window and never be removed.
      context.log("the splash is not shown, because the window is there already", level: .warning)
      context.provide(.launchScreen, session)
      context.ready(output)
      return output
    }
    let interface = session.interface
    try await context.calling(interface) { try await interface.showSplash(input.asset?.path) }
    context.provide(.launchScreen, session)
    context.ready(output)
    // The step ends when the window replaces the splash, or with the run.
    let hidden = AsyncStream<Never>.makeStream()
    session.whenSplashIsHidden { hidden.continuation.finish() }
    for await _ in hidden.stream {}
    return output
  }

  private static func size(of path: String) throws -> Int {
    guard let size = LaunchFile.sizeBytes(at: path) else {
      throw ActionError(
        "splash-missing", "there is no launch screen at '\(path)'; correct the path", isRetryable: false)
    }
    guard size <= limitBytes else {
      throw ActionError(
        "splash-too-large",
        "the launch screen '\(path)' has \(size) bytes, more than the \(limitBytes) allowed; make it smaller",
        isRetryable: false)
    }
    return size
  }
}
