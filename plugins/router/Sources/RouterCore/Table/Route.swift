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

  /// Creates a route; the default of `page` is the pattern's first literal.
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

  /// Creates a route from the text of a pattern; throws an error if the pattern is invalid.
  public init(_ pattern: String, page: String? = nil, action: RouteAction = .push) throws(RoutePatternError) {
    self.init(try RoutePattern(pattern), page: page, action: action)
  }
}

/// The reason why a route cannot be added to a table.
public struct RouteProblem: Error, Sendable, Hashable {
  /// The kinds of problems, by their word in messages.
  public enum Kind: String, Sendable, Hashable {
    /// Two routes match the same URLs, and neither is more specific or has a higher priority.
    case duplicateRoute = "duplicate-route"
    /// Two routes differ only in word lists of the same length that share a word.
    case ambiguousRoute = "ambiguous-route"
    /// The pattern has an undeclared scheme.
    case unknownScheme = "unknown-scheme"
    /// The pattern has an undeclared host.
    case unknownHost = "unknown-host"
    /// The pattern has no literal and the route has no page.
    case noPage = "no-page"
    /// There are more routes than ``RouteTable/routeLimit``.
    case tooManyRoutes = "too-many-routes"
  }

  /// The kind of problem.
  public let kind: Kind
  /// The index of the route among the given ones.
  public let index: Int
  /// The index of the other route involved, or nil.
  public let relatedIndex: Int?
  /// One sentence for a person.
  public let message: String
  /// The advice on how to fix it, if there is any.
  public let help: String?
  /// The suggested word, if there is one.
  public let correction: Correction?
}

/// All problems of a list of routes.
public struct RouteProblems: Error, Sendable, Hashable {
  /// The problems, ordered by the index of their route.
  public let problems: [RouteProblem]
}
