import FlowModel
import FlowPluginKit
import RouterCore

/// Receives the links that open the running app, and posts `router.link` for each. A workflow can therefore handle a
/// link in the same way whether it launched the app or arrived later.
struct ReceiveLinks: StepService, DetailedAction {
  static let name = "router.receive"
  static let effect = ActionEffect.process
  static let summary = "Takes links that open the running app, and posts router.link for each"
  static let requires: [HandleKey] = [Router.key]
  static let events = [link]
  static let eventValues = [declaration]
  static let follows = [
    LifecycleEvent.appOpenURL.rawValue, LifecycleEvent.appContinueUserActivity.rawValue,
    LifecycleEvent.sceneOpenURLContexts.rawValue,
  ]
  static let source = EventSource.outside
  static let example = """
    uses: router.receive
    needs: register-routes
    """

  private static let link = "router.link"

  private static let declaration: FieldDeclaration = {
    var url = FieldDeclaration("url", .string)
    var parameters = FieldDeclaration("parameters", .object(properties: nil))
    // Links are secret because they may contain a token.
    url.isSecret = true
    parameters.isSecret = true
    var value = FieldDeclaration(
      link, .object(properties: [url, parameters, FieldDeclaration("source", .string)]),
      summary: "The link, as router.open takes it")
    value.isSecret = true
    return value
  }()

  nonisolated(nonsending) func run(_ input: NoInput, in context: ActionContext) async throws -> NoOutput {
    let router: Router = try context.handle(Router.key)
    let posts = PostQueue()
    for event in Self.follows { context.follow(event, into: posts) }
    context.ready(NoOutput())
    var dropped = 0
    while let post = await posts.next() {
      try handle(post, router, context)
      context.handledPost()
      while dropped < posts.dropped {
        dropped += 1
        context.handledPost()
        context.log("a link is dropped, because too many came at once", level: .warning)
      }
    }
    return NoOutput()
  }

  private func handle(_ post: EventPost, _ router: Router, _ context: ActionContext) throws {
    // After a resume the link is missing, because links are not written to the journal.
    guard !post.value.isNull else { return context.log("a post of \(post.event) has no link", level: .warning) }
    let found = LaunchOptions(Self.options(post), for: .url) { router.table.accepts($0, action: $1) }
    for reason in found.leftOut + found.ignored.map({ "\($0): not supported" }) {
      context.log("not opened: \(reason)", level: .warning)
    }
    guard let link = found.link else { return }
    context.log("link received")
    try context.post(
      Self.link,
      value: [
        "url": .string(link.url), "parameters": .object(link.parameters), "source": .string(link.source.rawValue),
      ])
  }

  /// Returns the posted link or connection options in the form of launch options.
  private static func options(_ post: EventPost) -> ValueObject {
    switch LifecycleEvent(rawValue: post.event) {
    case .appContinueUserActivity: ["userActivities": [post.value]]
    case .sceneOpenURLContexts: ["urlContexts": post.value.arrayValue == nil ? [post.value] : post.value]
    default: post.value.objectValue ?? ["url": post.value]
    }
  }
}
