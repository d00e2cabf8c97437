import FlowModel
import FlowPluginKit
import RouterCore

// Links that the system gives the app, and links that hold a secret of the run: logs, report and run store have the page and
// the names of the parameters.
extension Router {
  /// Returns the link with its secrecy. A secret link withholds the outputs of the step that takes it.
  func classified(_ link: Link, _ context: ActionContext) -> Link {
    var link = link
    link.isSecret = link.isSecret || context.holdsSecret(.array([.string(link.url), .object(link.parameters)]))
    if link.isSecret { context.withholdOutputs(hiding: [link.url]) }
    return link
  }

  /// A link as logs show it.
  func shown(_ url: String, isSecret: Bool) -> String { isSecret ? Self.hiddenLink : table.forLog(url) }

  /// The URL of a link that expired, which a later step may report.
  func shown(expired route: PendingRoute) -> String { route.isSecret ? Self.hiddenLink : route.url }

  private static let hiddenLink = "***"

  /// The outcome of a link whose route is known. Nothing of a secret one is shown except its page and the names of its
  /// parameters.
  func hiding(
    _ outcome: RouteOutcome, _ pending: PendingRoute, _ route: Route, _ context: ActionContext
  ) -> RouteOutcome {
    guard pending.isSecret else { return outcome }
    var outcome = outcome
    var values: [Value] = [.object(outcome.parameters)]
    if let fragment = outcome.fragment { values.append(.string(fragment)) }
    context.withholdOutputs(hiding: LinkTexts.all(in: values, except: isOwnWord))
    for (name, value) in outcome.merged where route.defaults[name] != value {
      outcome.shown[name] = .string(Redaction.mark)
    }
    return outcome
  }

  /// True if a text is a page or a part of a pattern, so that hiding it would hide the app's own words.
  func isOwnWord(_ text: String) -> Bool {
    table.routes.contains { route in
      route.page == text || route.defaults.contains { $0.1 == .string(text) }
        || route.pattern.segments.contains { if case .literal(text) = $0 { true } else { false } }
    }
  }
}
