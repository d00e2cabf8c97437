import FlowDiagnostics
import FlowModel

/// A pattern and the page it opens.
public struct Route: Sendable, Hashable {
  /// The form of the route's URLs.
  public let pattern: RoutePattern
  /// The page to open.
  public let page: String
  /// The presentation of the page.
  public let action: RouteAction
  /// Decides between routes of the same shape; the highest wins. It has no other effect.
  public let priority: Int
  /// True if links from outside never open it without approval.
  public let isSensitive: Bool
  /// The sources from which it may be opened.
  public let sources: Set<RouteSource>
  /// The types that query and payload parameters must have, if they are present.
  public let parameterTypes: [String: ParameterType]
  /// The values of parameters missing from the link.
  public let defaults: ValueObject
  /// True if the next launch may restore the page without the secret parts of its link. If nil, it is restored only if
  /// there are no secret parts and the route is not sensitive.
  public let isRestorable: Bool?
  /// The identifiers of notification buttons that open the page like a tap.
  public let notificationActions: Set<String>

  /// A route; without `page`, the pattern's first literal names it.
  public init(
    _ pattern: RoutePattern, page: String? = nil, action: RouteAction = .push, priority: Int = 0,
    isSensitive: Bool = false, sources: Set<RouteSource> = RouteSource.all,
    parameterTypes: [String: ParameterType] = [:], defaults: ValueObject = [:], isRestorable: Bool? = nil,
    notificationActions: Set<String> = []
  ) {
    self.pattern = pattern
    self.page = page ?? pattern.firstLiteral ?? ""
    self.action = action
    self.priority = priority
    self.isSensitive = isSensitive
    self.sources = sources
    self.parameterTypes = parameterTypes
    self.defaults = defaults
    self.isRestorable = isRestorable
    self.notificationActions = notificationActions
  }

  /// A route for a pattern in text; throws what is wrong with the pattern.
  public init(_ pattern: String, page: String? = nil, action: RouteAction = .push) throws(RoutePatternError) {
    self.init(try RoutePattern(pattern), page: page, action: action)
  }
}

/// Why a route cannot be in a table next to the others.
public struct RouteProblem: Error, Sendable, Hashable {
  /// The kinds, by the word that messages carry.
  public enum Kind: String, Sendable, Hashable {
    /// Two routes match the same URLs and neither is more specific nor of a higher priority.
    case duplicateRoute = "duplicate-route"
    /// Two routes differ only in lists of words of one length that share a word.
    case ambiguousRoute = "ambiguous-route"
    /// The pattern names a scheme that is not declared.
    case unknownScheme = "unknown-scheme"
    /// The pattern names a host that is not declared.
    case unknownHost = "unknown-host"
    /// The pattern has no literal and the route names no page.
    case noPage = "no-page"
    /// There are more routes than ``RouteTable/routeLimit``.
    case tooManyRoutes = "too-many-routes"
  }

  /// What is wrong.
  public let kind: Kind
  /// The place of the route among those given.
  public let index: Int
  /// The place of the other route it is about, or nil.
  public let relatedIndex: Int?
  /// One sentence for a person.
  public let message: String
  /// What to do about it, where that can be said.
  public let help: String?
  /// The word that was meant, where one is known.
  public let correction: Correction?
}

/// All that is wrong with a list of routes.
public struct RouteProblems: Error, Sendable, Hashable {
  /// The problems, by the place of their route.
  public let problems: [RouteProblem]
}
