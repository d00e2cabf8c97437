import FlowModel
import FlowPluginKit
import RouterCore

/// Opens waiting links once the user interface is ready and has settled (N4, N6, N28).
///
/// The step does not check the interface itself. Its conditions determine when it runs: `defer: true` waits for the
/// gate, `after: ui.ready` for the view.
struct FlushRoutes: AsyncAction {
  static let name = "router.flush"
  static let effect = ActionEffect.process
  static let summary = "Opens held links once the user interface has settled"
  static let requires: [HandleKey] = [Router.key, .userInterface]
  static let example = """
    uses: router.flush
    needs: [register-routes, launch-app]
    after: ui.ready
    queue: main
    """

  struct Input: ActionInput {
    @Field("The window whose links are opened") var scope: String = Router.mainScope
    @Field("How long to wait for the user interface to settle") var settle: Duration =
      .milliseconds(PendingPolicy.defaultSettleMilliseconds)
  }

  struct Output: ActionOutput {
    var opened: Int
    var result: String
    var route: String?
    var page: String?
    var action: String?
    var merged: ValueObject
    var shown: ValueObject
    var outcomes: [ValueObject]

    static let summaries = [
      "opened": "How many links were opened", "result": "The result of the last one; none if no link was held",
      "route": "The route of the last one", "page": "The page of the last one",
      "action": "How the page of the last one was shown: push or present", "merged": "The parameters of the last one",
      "shown": "The same for logs and reports, with secrets hidden",
      "outcomes": "The result of each, as in router.open",
    ]
    static let withheld: Set<String> = ["merged", "outcomes"]
  }

  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> Output {
    let router: Router = try context.handle(Router.key)
    let interface: any UserInterface = try context.handle(.userInterface)
    let outcomes = try await router.flush(scope: input.scope, settle: input.settle, on: interface, context)
    let last = outcomes.last ?? .none
    return Output(
      opened: outcomes.filter(\.hasOpened).count, result: last.result, route: last.route, page: last.page,
      action: last.action, merged: last.merged, shown: last.shown, outcomes: outcomes.map(\.values))
  }
}
