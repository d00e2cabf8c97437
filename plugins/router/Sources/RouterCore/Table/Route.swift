import FlowDiagnostics
import FlowModel

/// A pattern and what it opens.
public struct Route: Sendable, Hashable {
  /// What URLs look like.
  public let pattern: RoutePattern
  /// The page that is opened.
  public let page: String
  /// How the page comes on.
  public let action: RouteAction
  /// Decides between routes of the same shape, the highest first; nothing else.
  public let priority: Int
  /// Whether it is never opened from outside without someone's approval.
  public let isSensitive: Bool
  /// From where it may be opened.
  public let sources: Set<RouteSource>
  /// Query and payload parameters that must be of a type where they are given.
  public let parameterTypes: [String: ParameterType]
  /// What the page is given of a parameter that the link lacks.
  public let defaults: ValueObject
  /// Whether the next launch may restore the page, without the secret parts of its link; nil: only if there are none and
  /// the route is not sensitive.
  public let isRestorable: Bool?
  /// The identifiers of buttons of a notification that open the page, as a tap does.
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
