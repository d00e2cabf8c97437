import FlowModel
import FlowPluginKit
import RouterCore
import Synchronization

/// The routes and the pending links of a run. It performs the effects of ``PendingStore``.
final class Router: LinkOpener {
  static let key: HandleKey = "router"

  let table: RouteTable
  private let surroundings: RouterSurroundings
  private let pending: Mutex<PendingStore>
  /// The stored pending routes, or nil if they are not persistent. The lock is held during each write, so that an older
  /// state never overwrites a newer one.
  private let archive: Mutex<PendingArchive?>
  private let timeToLiveMilliseconds: Int
  /// The outcomes of expired links, by scope, until a flush reports them.
  private let expired = Mutex<[String: [RouteOutcome]]>([:])

  init(table: RouteTable, policy: PendingPolicy, timeToLiveMilliseconds: Int, _ surroundings: RouterSurroundings) {
    self.table = table
    self.surroundings = surroundings
    self.timeToLiveMilliseconds = timeToLiveMilliseconds
    pending = Mutex(PendingStore(policy: policy))
    archive = Mutex(nil)
  }

  /// A link that a step or a notification requests to open.
  struct Link {
    var url: String
    var parameters: ValueObject = [:]
    var source: RouteSource = .notification
    var notificationID: String?
    var timeToLive: Duration?
    /// True if the link comes from the system or contains a secret of the run. Logs, the store and the report then omit
    /// it.
    var isSecret = false
  }

  /// Saves pending routes in `store` from now on and loads those of earlier processes. Returns the number of routes
  /// that wait, without the expired ones.
  func persist(in store: any KeyValueStore, _ context: ActionContext) throws -> Int {
    let kept = PendingArchive(store)
    let (routes, unreadable) = try kept.load()
    if unreadable > 0 {
      context.log("dropped \(unreadable) kept route(s) that cannot be read", level: .warning)
    }
    archive.withLock { $0 = kept }
    var effects: [PendingStore.Effect] = []
    for (scope, routes) in routes.sorted(by: { $0.key < $1.key }) {
      let restored = pending.withLock { $0.restore(routes, scope: scope, at: surroundings.now()) }
      effects += restored
      if unreadable > 0 { effects.append(.persist(scope: scope)) }
      noteExpired(restored, scope: scope)
    }
    carryOut(effects, context)
    return pending.withLock { pending in pending.scopes.reduce(0) { $0 + pending.unfinished(scope: $1).count } }
  }

  /// Holds a link until the next flush. A link that can never be opened is refused.
  func hold(_ link: Link, scope: String, _ context: ActionContext) throws -> RouteOutcome {
    let link = classified(link, context)
    if let refusal = refusal(of: link) { return report(refusal, isSecret: link.isSecret, context) }
    try checkScope(scope)
    let route = route(of: link)
    let (arrival, effects) = pending.withLock { $0.hold(route, scope: scope, at: surroundings.now()) }
    carryOut(effects, context)
    return outcome(of: arrival, link)
  }

  /// Opens a link immediately if the interface is ready and no flush of the scope is in progress; otherwise holds it. A
  /// link that can never be opened is refused.
  func open(
    _ link: Link, scope: String, on interface: any UserInterface, _ context: ActionContext
  ) async throws -> RouteOutcome {
    let link = classified(link, context)
    if let refusal = refusal(of: link) { return report(refusal, isSecret: link.isSecret, context) }
    try checkScope(scope)
    let isReady = try await context.calling(interface) { await interface.isReady }
    let route = route(of: link)
    let (arrival, effects) = pending.withLock {
      $0.open(route, scope: scope, isReady: isReady, at: surroundings.now())
    }
    carryOut(effects, context)
    guard case .open(let id) = arrival else { return outcome(of: arrival, link) }
    return await handOff(id, route, scope: scope, on: interface, context).outcome
  }

  /// Opens waiting links once the interface has settled. Returns their outcomes, in order, and those of links that have
  /// expired since the last flush.
  func flush(
    scope: String, settle: Duration, on interface: any UserInterface, _ context: ActionContext
  ) async throws -> [RouteOutcome] {
    let milliseconds = settle.milliseconds
    let (isScheduled, first) = pending.withLock {
      $0.flush(scope: scope, settleMilliseconds: milliseconds, at: surroundings.now())
    }
    carryOut(first, context)
    noteExpired(first, scope: scope)
    guard isScheduled else { return reportExpired(scope: scope) }
    try await context.sleep(for: settle)
    var outcomes = reportExpired(scope: scope)
    var effects = pending.withLock { $0.settled(scope: scope, at: surroundings.now()) }
    while true {
      carryOut(effects, context)
      noteExpired(effects, scope: scope)
      outcomes += reportExpired(scope: scope)
      switch effects.last {
      case .handOff(let id, let route):
        let (outcome, next) = await handOff(id, route, scope: scope, on: interface, context)
        outcomes.append(outcome)
        effects = next
      case .wake(_, let due):
        // If the date was set back, the wall clock and the run's clock disagree, so the rest is limited.
        let rest = min(max(due - surroundings.now(), 1), milliseconds)
        try await context.sleep(for: .milliseconds(rest))
        effects = pending.withLock { $0.settled(scope: scope, at: max(due, surroundings.now())) }
      default: return outcomes
      }
    }
  }

  /// Opens or holds the link of a tapped notification. Returns `opened`, `deferred` or another result of
  /// ``RouteOutcome``.
  func open(_ link: TappedLink, on interface: any UserInterface, in context: ActionContext) async -> String {
    let action = link.action
    let link = Link(
      url: link.url, parameters: link.parameters, notificationID: link.notificationID, isSecret: true)
    let candidate = LaunchOptions.Link(
      url: link.url, parameters: link.parameters, source: link.source, notificationID: link.notificationID)
    if action != NotificationAnswer.open, !table.accepts(candidate, action: action) {
      context.log("the action '\(action)' does not open \(shown(link.url, isSecret: true))")
      return "blocked"
    }
    do {
      return try await open(link, scope: Self.mainScope, on: interface, context).result
    } catch {
      context.log("the link \(shown(link.url, isSecret: true)) cannot be kept: \(error)", level: .error)
      return "rejected"
    }
  }

  /// The scope of links that do not specify one.
  static let mainScope = "main"
}

// MARK: - Opening

extension Router {
  private func route(of link: Link) -> PendingRoute {
    PendingRoute(
      url: link.url, parameters: link.parameters, source: link.source, notificationID: link.notificationID,
      receivedAtMilliseconds: surroundings.now(),
      timeToLiveMilliseconds: link.timeToLive?.milliseconds ?? timeToLiveMilliseconds,
      isSecret: link.isSecret)
  }

  /// Returns the outcome of a link that can never be opened, because it is invalid or no route matches it. Otherwise
  /// returns nil.
  private func refusal(of link: Link) -> RouteOutcome? {
    let resolution = table.resolve(link.url, from: link.source, payload: link.parameters)
    switch resolution {
    case .open, .blocked: return nil
    case .rejected, .notFound: return RouteOutcome(link.url, resolution, in: table)
    }
  }

  private func outcome(of arrival: PendingStore.Arrival, _ link: Link) -> RouteOutcome {
    switch arrival {
    case .deferred:
      RouteOutcome(url: link.url, "deferred", message: "it is held until the user interface is ready")
    case .duplicate:
      RouteOutcome(url: link.url, "duplicate", message: "it is another delivery of the same tap")
    case .open: preconditionFailure("an open link is handed off")
    }
  }

  private func checkScope(_ scope: String) throws {
    let isFull = pending.withLock { $0.scopes.count >= PendingPolicy.scopeLimit && !$0.scopes.contains(scope) }
    guard isFull else { return }
    throw ActionError(
      "too-many-scopes", "links wait in \(PendingPolicy.scopeLimit) scopes already; flush one of them",
      isRetryable: false)
  }

  /// Opens the page of a link and removes the link. If the interface is no longer ready, the link stays pending. The
  /// returned effects are those that hand off the next link, which the caller performs, or none.
  private func handOff(
    _ id: PendingStore.ID, _ route: PendingRoute, scope: String, on interface: any UserInterface,
    _ context: ActionContext
  ) async -> (outcome: RouteOutcome, effects: [PendingStore.Effect]) {
    // If the step is being cancelled, this throws, and the link stays pending.
    guard (try? await context.calling(interface, { await interface.isReady })) == true else {
      carryOut(pending.withLock { $0.returned(id, scope: scope, at: surroundings.now()) }, context)
      return (RouteOutcome(url: route.url, "deferred", message: "the user interface was closed"), [])
    }
    if route.isSecret { context.withholdOutputs(hiding: [route.url]) }
    let outcome = report(await perform(route, on: interface, context), isSecret: route.isSecret, context)
    let effects = pending.withLock { $0.finished(id, at: surroundings.now()) }
    if effects.contains(where: { if case .handOff = $0 { true } else { false } }) { return (outcome, effects) }
    noteExpired(effects, scope: scope)
    carryOut(effects, context)
    return (outcome, [])
  }

  /// Calls the interceptors, follows redirects and opens the page. Returns the outcome.
  private func perform(
    _ pending: PendingRoute, on interface: any UserInterface, _ context: ActionContext
  ) async -> RouteOutcome {
    var url = pending.url
    var source = pending.source
    var redirector: String?
    for _ in 0...Interception.depth {
      var resolution = table.resolve(url, from: source, payload: pending.parameters)
      switch await intercept(resolution, url, source, context) {
      case .redirect(let target, let name)?:
        let (given, instead) = (shown(url, isSecret: pending.isSecret), shown(target, isSecret: pending.isSecret))
        context.log("'\(name)' redirects \(given) to \(instead)")
        (url, source, redirector) = (target, .internal, name)
        continue
      case .block(let match, let parameters, let name)?:
        return hiding(
          RouteOutcome("blocked", match, parameters, in: table, reason: name, message: "'\(name)' blocked it"), pending,
          match.route, context)
      case .approve?:
        resolution = table.resolve(url, from: source, payload: pending.parameters, isApproved: true)
      case nil: break
      }
      switch resolution {
      case .open(let match, let parameters):
        let outcome = hiding(
          RouteOutcome("opened", match, parameters, in: table), pending, match.route, context)
        let opened = await open(
          match, parameters, isSecret: pending.isSecret, on: interface, context, outcome)
        return redirector.map { opened.redirected(from: pending.url, by: $0, isSecret: pending.isSecret) } ?? opened
      case .blocked(let match, _, by: _):
        return hiding(RouteOutcome(url, resolution, in: table), pending, match.route, context)
      case .rejected, .notFound: return RouteOutcome(url, resolution, in: table)
      }
    }
    return RouteOutcome(
      url: pending.url, "blocked", reason: "redirects",
      message: "it was redirected more than \(Interception.depth) times")
  }

  /// The combined decision of all interceptors about a link.
  private enum Verdict {
    case approve
    case block(RouteMatch, RouteParameters, by: String)
    case redirect(String, by: String)
  }

  private func intercept(
    _ resolution: RouteResolution, _ url: String, _ source: RouteSource, _ context: ActionContext
  ) async -> Verdict? {
    let match: RouteMatch
    let parameters: RouteParameters
    switch resolution {
    case .open(let found, let given), .blocked(let found, let given, by: "sensitive"):
      (match, parameters) = (found, given)
    case .rejected, .notFound, .blocked: return nil
    }
    let link = InterceptedLink(url: url, route: match.route, parameters: parameters, source: source)
    var isApproved = false
    for interceptor in surroundings.interceptors {
      switch await Interception.ask(interceptor, link, context) {
      case .proceed: break
      case .approve: isApproved = true
      case .block: return .block(match, parameters, by: interceptor.name)
      case .redirect(let target): return .redirect(target, by: interceptor.name)
      }
    }
    return isApproved ? .approve : nil
  }

  private func open(
    _ match: RouteMatch, _ parameters: RouteParameters, isSecret: Bool, on interface: any UserInterface,
    _ context: ActionContext, _ opened: RouteOutcome
  ) async -> RouteOutcome {
    do {
      let page = page(of: match.route, parameters, isSecret: isSecret)
      try await context.calling(interface) { try await interface.open(page) }
      return opened
    } catch {
      let failure = error as? ActionError
      var outcome = opened
      outcome.result = "handler-failed"
      outcome.reason = failure?.code ?? "page-unavailable"
      outcome.message = failure?.message ?? "\(error)"
      return outcome
    }
  }
}

// MARK: - Pages

extension Router {
  /// Returns the page of a route. The next launch may restore its parameters except for the secret ones (F2).
  private func page(of route: Route, _ parameters: RouteParameters, isSecret: Bool) -> PageRequest {
    let merged = parameters.merged
    var secrets: Set<String> = []
    for (name, value) in merged {
      // In a secret link, a value is secret unless it is the route's default.
      let isOfSecretLink = isSecret && route.defaults[name] != value
      if isOfSecretLink || parameters.fragment[name] != nil || table.hidesPart(of: value, under: name) {
        secrets.insert(name)
      }
    }
    let isPlain = secrets.isEmpty && !route.isSensitive && !isSecret
    return PageRequest(
      page: route.page, presentation: route.action == .present ? .present : .push, parameters: merged,
      isRestorable: route.isRestorable ?? isPlain, secretParameters: secrets)
  }
}

// MARK: - Effects

extension Router {
  /// Performs the effects that log and store links. The caller handles wake-ups and hand-offs.
  private func carryOut(_ effects: [PendingStore.Effect], _ context: ActionContext) {
    for effect in effects {
      switch effect {
      case .log(let entry):
        let isWarning = entry.kind == .overwritten || entry.kind == .expired
        context.log(
          "\(entry.kind.rawValue) \(shown(entry.route.url, isSecret: entry.route.isSecret))",
          level: isWarning ? .warning : .info)
      case .persist(let scope): save(scope, context)
      case .wake, .handOff: break
      }
    }
  }

  private func noteExpired(_ effects: [PendingStore.Effect], scope: String) {
    let outcomes = effects.compactMap { effect -> RouteOutcome? in
      guard case .log(let entry) = effect, entry.kind == .expired else { return nil }
      return RouteOutcome(
        url: shown(expired: entry.route), "expired", reason: "expired",
        message: "it waited longer than its time to live")
    }
    if !outcomes.isEmpty { expired.withLock { $0[scope, default: []] += outcomes } }
  }

  /// Returns the outcomes of links that have expired since the last flush, and removes them.
  private func reportExpired(scope: String) -> [RouteOutcome] {
    expired.withLock { $0.removeValue(forKey: scope) ?? [] }
  }

  private func save(_ scope: String, _ context: ActionContext) {
    archive.withLock { archive in
      guard let archive else { return }
      do {
        try archive.save(pending.withLock { $0.unfinished(scope: scope) }, scope: scope)
      } catch {
        // The link stays in memory, so it is lost only if the process ends before it is opened.
        context.log("pending routes could not be kept: \(error)", level: .error)
      }
    }
  }

  /// Logs the outcome of a link (N36) and returns it.
  private func report(_ outcome: RouteOutcome, isSecret: Bool, _ context: ActionContext) -> RouteOutcome {
    let url = shown(outcome.url ?? "", isSecret: isSecret)
    for part in outcome.ignored { context.log("left out of \(url): \(part)", level: .warning) }
    if outcome.hasOpened {
      let how = outcome.result == "opened" ? "opened" : "\(outcome.result), opened"
      let action = outcome.action == RouteAction.present.rawValue ? ", presented," : ""
      context.log("\(how) \(outcome.page ?? "")\(action) by \(outcome.route ?? "") for \(url)")
    } else {
      let nearest = outcome.nearest.isEmpty ? "" : "; nearest: \(outcome.nearest.joined(separator: ", "))"
      context.log(
        "\(outcome.result) \(url): \(outcome.message ?? "")\(outcome.reason.map { " [\($0)]" } ?? "")\(nearest)",
        level: .warning)
    }
    return outcome
  }
}
