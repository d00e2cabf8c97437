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
  /// The rank among routes of the same shape, of which the highest is used. It has no other effect.
  public let priority: Int
  /// True if links from outside open the route only with an interceptor's approval.
  public let isSensitive: Bool
  /// The sources from which the route may be opened.
  public let sources: Set<RouteSource>
  /// The required types of query and payload parameters. Parameters may be missing.
  public let parameterTypes: [String: ParameterType]
  /// The values of parameters that the link does not contain.
  public let defaults: ValueObject
  /// True if the next launch may restore the page without the secret parts of its link. If nil, the page is restored
  /// only if there are no secret parts and the route is not sensitive.
  public let isRestorable: Bool?
  /// The identifiers of notification buttons that open the page in the same way as a tap.
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

  /// Creates a route from the text of a pattern. Throws if the pattern is invalid.
  public init(_ pattern: String, page: String? = nil, action: RouteAction = .push) throws(RoutePatternError) {
    self.init(try RoutePattern(pattern), page: page, action: action)
  }
}

/// The reason why a route cannot be added to a table.
public struct RouteProblem: Error, Sendable, Hashable {
  /// The kinds of problems, with their names in messages.
  public enum Kind: String, Sendable, Hashable {
    /// Two routes match the same URLs, and neither is more specific or has a higher priority.
    case duplicateRoute = "duplicate-route"
    /// Two routes differ only in lists of words of the same length that have a word in common.
    case ambiguousRoute = "ambiguous-route"
    /// The pattern has a scheme that is not declared.
    case unknownScheme = "unknown-scheme"
    /// The pattern has a host that is not declared.
    case unknownHost = "unknown-host"
    /// The pattern has no literal and the route has no page.
    case noPage = "no-page"
    /// There are more routes than ``RouteTable/routeLimit``.
    case tooManyRoutes = "too-many-routes"
  }

  /// The kind of problem.
  public let kind: Kind
  /// The index of the route in the given array.
  public let index: Int
  /// The index of the other route involved, or nil.
  public let relatedIndex: Int?
  /// The message for a person, one sentence.
  public let message: String
  /// The advice on how to fix the problem, or nil.
  public let help: String?
  /// The suggested word, or nil.
  package let correction: Correction?
}

/// All problems of a list of routes.
public struct RouteProblems: Error, Sendable, Hashable {
  /// The problems, ordered by the index of their route.
  public let problems: [RouteProblem]
}
