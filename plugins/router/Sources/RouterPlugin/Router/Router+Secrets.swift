import FlowModel
import FlowPluginKit
import RouterCore

// Links that the system passes to the app, and links that contain a secret of the run, are secret. Logs, the report and
// the run store contain only their page and the names of their parameters.
extension Router {
  /// Marks a link as secret if necessary. A secret link withholds the outputs of the step that receives it.
  func classified(_ link: Link, _ context: ActionContext) -> Link {
    var link = link
    link.isSecret = link.isSecret || context.holdsSecret(.array([.string(link.url), .object(link.parameters)]))
    if link.isSecret { context.withholdOutputs(hiding: [link.url]) }
    return link
  }

  /// Returns a link for logs.
  func shown(_ url: String, isSecret: Bool) -> String { isSecret ? Self.hiddenLink : table.forLog(url) }

  /// Returns the URL of an expired link, which a later step may report.
  func shown(expired route: PendingRoute) -> String { route.isSecret ? Self.hiddenLink : route.url }

  private static let hiddenLink = "***"

  /// Hides everything in the outcome of a secret link except its page and the names of its parameters.
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

  /// True if a text is a page, a default or a part of a pattern. Hiding it would hide the app's own words.
  func isOwnWord(_ text: String) -> Bool {
    table.routes.contains { route in
      route.page == text || route.defaults.contains { $0.1 == .string(text) }
        || route.pattern.segments.contains { if case .literal(text) = $0 { true } else { false } }
    }
  }
}
