import FlowDiagnostics
import FlowModel

/// A pattern, the page that it opens, and the conditions for opening it.
public struct Route: Sendable, Hashable {
  /// The form of the route's URLs.
  public let pattern: RoutePattern
  /// The name of the page to open.
  public let page: String
  /// The way the page is presented.
  public let action: RouteAction
  /// The priority among routes of the same shape; the route with the highest one is used. It has no other effect.
  public let priority: Int
  /// True if external links open the route only with an interceptor's approval.
  public let isSensitive: Bool
  /// The sources from which the route may be opened.
  public let sources: Set<RouteSource>
  /// The types that query and payload parameters must have if they are present.
  public let parameterTypes: [String: ParameterType]
  /// The values of parameters that the link does not contain.
  public let defaults: ValueObject
  /// Determines whether the next launch may restore the page, without the secret parts of its link. If nil, the page is
  /// restored only if its link is not secret and has no secret parts, and the route is not sensitive.
  public let isRestorable: Bool?
  /// The identifiers of notification buttons that open the page as a tap does.
  public let notificationActions: Set<String>

  /// Creates a route. The default `page` is the pattern's first literal.
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

  /// Creates a route from a pattern's text. Throws if the pattern is invalid.
  public init(_ pattern: String, page: String? = nil, action: RouteAction = .push) throws(RoutePatternError) {
    self.init(try RoutePattern(pattern), page: page, action: action)
  }
}

/// The reason why a route cannot be added to a table.
public struct RouteProblem: Error, Sendable, Hashable {
  /// The kinds of problems. The raw values are their names in messages.
  public enum Kind: String, Sendable, Hashable {
    /// Two routes match the same URLs, and neither is more specific or has a higher priority.
    case duplicateRoute = "duplicate-route"
    /// Two routes differ only in lists of words of the same length that have a word in common.
    case ambiguousRoute = "ambiguous-route"
    /// The pattern has a scheme that is not declared.
    case unknownScheme = "unknown-scheme"
    /// The pattern has a host that is not declared.
    case unknownHost = "unknown-host"
    /// The route has no page and its pattern has no literal that could name one.
    case noPage = "no-page"
    /// There are more routes than ``RouteTable/routeLimit``.
    case tooManyRoutes = "too-many-routes"
  }

  /// The stable name of the problem.
  public let kind: Kind
  /// The index of the route in the array from which the table was to be created.
  public let index: Int
  /// The index of the other route that causes the problem, or nil.
  public let relatedIndex: Int?
  /// One sentence that states the problem.
  public let message: String
  /// The advice on how to fix the problem, or nil.
  public let help: String?
  /// The suggested replacement for a misspelled word, or nil.
  package let correction: Correction?
}

/// All problems found in a list of routes.
public struct RouteProblems: Error, Sendable, Hashable {
  /// The problems, ordered by the index of their route.
  public let problems: [RouteProblem]
}
