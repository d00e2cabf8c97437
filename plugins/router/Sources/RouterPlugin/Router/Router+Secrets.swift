import FlowModel
import FlowPluginKit
import RouterCore

// A link is secret if the system passed it to the app or if it contains a secret of the run. Logs, the report and the
// run store contain only its page and the names of its parameters.
extension Router {
  /// Returns the link, marked as secret if it contains a secret. The outputs of a step with a secret link are withheld.
  func classified(_ link: Link, _ context: ActionContext) -> Link {
    var link = link
    link.isSecret = link.isSecret || context.holdsSecret(.array([.string(link.url), .object(link.parameters)]))
    if link.isSecret { context.withholdOutputs(hiding: [link.url]) }
    return link
  }

  /// Returns the URL for a log: redacted or, if the link is secret, hidden completely.
  func shown(_ url: String, isSecret: Bool) -> String { isSecret ? Self.hiddenLink : table.forLog(url) }

  /// Returns the URL of an expired link, which a later step may report. If the link is secret, the URL is hidden.
  func shown(expired route: PendingRoute) -> String { route.isSecret ? Self.hiddenLink : route.url }

  private static let hiddenLink = "***"

  /// Returns the outcome of a link. If the link is secret, reports contain only its page, the names of its parameters
  /// and the route's default values.
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

  /// True if `text` is a page, a default value or a literal of a pattern. These are the app's own words and must not be
  /// hidden.
  func isOwnWord(_ text: String) -> Bool {
    table.routes.contains { route in
      route.page == text || route.defaults.contains { $0.1 == .string(text) }
        || route.pattern.segments.contains { if case .literal(text) = $0 { true } else { false } }
    }
  }
}
