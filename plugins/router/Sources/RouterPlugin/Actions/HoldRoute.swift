import FlowModel
import FlowPluginKit
import RouterCore

/// Holds a link until the next flush, even if the user interface is ready (N20, N26).
struct HoldRoute: Action {
  typealias Input = LinkInput
  typealias Output = RouteOutcome

  static let name = "router.hold"
  static let effect = ActionEffect.process
  static let summary = "Keeps a link until the user interface is ready"
  static let requires: [HandleKey] = [Router.key]
  static let tooManyScopes = ErrorDeclaration(
    "too-many-scopes", "Links are held in 16 scopes already; flush one of them", isRetryable: false)
  static let errors = [tooManyScopes]
  static let example = """
    uses: router.hold
    needs: [register-routes, parse]
    with: { url: "${{ steps.parse.outputs.route }}", parameters: "${{ steps.parse.outputs.parameters }}", source: notification }
    """

  func run(_ input: LinkInput, in context: ActionContext) throws -> RouteOutcome {
    let router: Router = try context.handle(Router.key)
    guard let link = input.link else { return .none }
    return try router.hold(link, scope: input.scope, context)
  }
}
