import FlowModel
import FlowPluginKit
import RouterCore

/// The sources of a link that a step may specify.
enum LinkSource: String, FieldWord {
  case notification
  case urlScheme = "url-scheme"
  case universalLink = "universal-link"
  case `internal`

  var source: RouteSource { RouteSource(rawValue: rawValue)! }
}

/// The inputs of `router.open` and `router.hold`.
struct LinkInput: ActionInput {
  @Field("The URL; nothing happens without one", isSecret: true) var url: String?
  @Field("Parameters besides the URL, such as a notification's", isSecret: true)
  var parameters: ValueObject = [:]
  @Field("Where it came from; without it, what the URL's form implies") var source: LinkSource?
  @Field("The notification's identifier, by which deliveries of one tap are known")
  var notificationID: String?
  @Field("The window it is for") var scope: String = Router.mainScope
  @Field("How long it may wait; without it, what router.register says") var timeToLive: Duration?

  /// The link with its declared or implied source, or nil if there is no URL.
  var link: Router.Link? {
    guard let url, !url.isEmpty else { return nil }
    let implied: RouteSource = url.lowercased().hasPrefix("https:") ? .universalLink : .urlScheme
    return Router.Link(
      url: url, parameters: parameters, source: source?.source ?? implied, notificationID: notificationID,
      timeToLive: timeToLive)
  }
}

/// Opens a link immediately if the user interface is ready and no flush of the scope is in progress; otherwise holds it
/// (N9, N11).
struct OpenRoute: AsyncAction {
  typealias Input = LinkInput
  typealias Output = RouteOutcome

  static let name = "router.open"
  static let effect = ActionEffect.process
  static let summary = "Opens a link, or holds it while the user interface is not ready"
  static let requires: [HandleKey] = [Router.key, .userInterface]
  static let errors = [HoldRoute.tooManyScopes]
  static let example = """
    uses: router.open
    needs: [register-routes, launch-app]
    queue: main
    with: { url: "app://product/123", source: url-scheme }
    """

  nonisolated(nonsending) func run(_ input: LinkInput, in context: ActionContext) async throws -> RouteOutcome {
    let router: Router = try context.handle(Router.key)
    let interface: any UserInterface = try context.handle(.userInterface)
    guard let link = input.link else { return .none }
    return try await router.open(link, scope: input.scope, on: interface, context)
  }
}
