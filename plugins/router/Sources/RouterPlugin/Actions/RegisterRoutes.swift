import FlowModel
import FlowPluginKit
import RouterCore

/// The interpretations of a fragment that a step may select.
enum FragmentReading: String, FieldWord {
  case parameters
  case path
}

/// Declares the routes of the application (N12, N13) and provides the router for later steps.
struct RegisterRoutes: Action, DetailedAction {
  static let name = "router.register"
  static let summary = "Declares the routes of the application"
  static let provides: [HandleKey] = [Router.key, .linkOpener]
  static let errors = [
    ErrorDeclaration("routes-invalid", "A scheme, host or route is wrong; correct it", isRetryable: false),
    ErrorDeclaration(
      "handle-missing", "Routes should be stored, but no step before provides a store; add storage.open",
      isRetryable: false),
  ]
  static let example = """
    uses: router.register
    with:
      schemes: [app, myapp]
      routes:
        - "app://user/:userId"
        - { pattern: "app://settings", action: present }
    """

  struct Input: ActionInput {
    @Field("The schemes that open the application, all alike; routes are shown with the first") var schemes: [String]
    @Field("The hosts whose https links open the application, such as example.com or *.example.com")
    var hosts: [String] = []
    @Field(
      "The routes: a pattern, or an object with pattern, page, action, priority, sensitive, sources, types, defaults")
    var routes: [Value]
    @Field("How links are held: keep, persist, time-to-live") var pending: PendingOptions = PendingOptions()
    @Field("Whether '+' in a query means a space") var plusAsSpace: Bool = false
    @Field("What the part behind '#' is read as: parameters, or the rest of the path; without it, text")
    var fragment: FragmentReading?
    @Field("Whether doubled and final slashes count") var strictSlashes: Bool = false
    @Field("Whether the first segment is compared with case")
    var caseSensitiveHost: Bool = false
  }

  struct Output: ActionOutput {
    var routes: Int
    var pending: Int

    static let summaries = [
      "routes": "How many routes there are", "pending": "How many links an earlier launch left to open",
    ]
  }

  static func check(_ input: LiteralInput) -> [InputProblem] {
    // Schemes and routes with expressions are known only during the run.
    guard input["schemes"] != nil, input["routes"] != nil else { return [] }
    do throws(RouteEntryProblems) {
      let declarations = try RouteDeclarations(input.values)
      return declarations.table.shadowedRoutes().map { shadowed in
        let (message, help) = shadowed.finding(among: declarations.table.routes)
        return InputProblem(
          "routes[\(shadowed.index)]", message, help: help,
          related: .init("routes[\(shadowed.byIndex)]", "this route matches its URLs"), isWarning: true)
      }
    } catch {
      return error.problems
    }
  }

  func run(_ input: Input, in context: ActionContext) throws -> Output {
    let declarations: RouteDeclarations
    do throws(RouteEntryProblems) {
      declarations = try RouteDeclarations([
        "schemes": input.schemes.value, "hosts": input.hosts.value, "routes": .array(input.routes),
        "plus-as-space": .boolean(input.plusAsSpace), "strict-slashes": .boolean(input.strictSlashes),
        "case-sensitive-host": .boolean(input.caseSensitiveHost), "fragment": input.fragment?.value ?? .null,
      ])
    } catch {
      let list = error.problems.map { "\($0.keyPath): \($0.message)" }.joined(separator: "; ")
      throw ActionError("routes-invalid", list, isRetryable: false)
    }
    let surroundings: RouterSurroundings = try context.handle(RouterSurroundings.key)
    let router = Router(
      table: declarations.table, policy: PendingPolicy(keep: input.pending.keep),
      timeToLiveMilliseconds: input.pending.timeToLiveMilliseconds, surroundings)
    let restored = try input.pending.persist ? router.persist(in: context.handle(.keyValueStore), context) : 0
    context.provide(Router.key, router)
    context.provide(.linkOpener, router)
    context.log("registered \(declarations.table.routes.count) routes for \(input.schemes.joined(separator: ", "))")
    if restored > 0 { context.log("\(restored) link(s) of an earlier launch wait to be opened") }
    return Output(routes: declarations.table.routes.count, pending: restored)
  }
}
