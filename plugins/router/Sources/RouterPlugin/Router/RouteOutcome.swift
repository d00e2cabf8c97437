import FlowModel
import FlowPluginKit
import RouterCore

/// The outcome of opening or holding a link.
struct RouteOutcome: ActionOutput {
  /// The URL of the link, or nil if there was no link.
  var url: String?
  /// `opened`, `deferred`, `duplicate`, `rejected`, `not-found`, `blocked`, `handler-failed`, `expired` or `none`, or
  /// `redirected` if an interceptor chose another link, whose page was opened.
  var result: String
  /// The pattern of the matching route, or nil if none matches.
  var route: String?
  /// The page of the matching route, or nil if none matches.
  var page: String?
  /// The presentation of the page, `push` or `present`, or nil if no route matches.
  var action: String?
  /// The parameters by origin: `path`, `query`, `payload` and `fragment`, each an object.
  var parameters: ValueObject
  /// All parameters in one object. The path has precedence over the payload, the payload over the query, the query over
  /// the fragment, and the fragment over the route's defaults.
  var merged: ValueObject
  /// All parameters in one object, redacted for logs and reports.
  var shown: ValueObject
  /// The part of the URL after `#`, or nil if there is none or it was ignored.
  var fragment: String?
  /// The parts of the URL that were ignored, each with the reason.
  var ignored: [String]
  /// The reason for not opening the link, as a stable word, or the name of the interceptor that blocked or redirected
  /// it.
  var reason: String?
  /// The reason for not opening or for redirecting the link, as a sentence.
  var message: String?
  /// The patterns of similar routes if none matches the URL; otherwise empty.
  var nearest: [String]

  static let summaries = [
    "url": "The URL; null when there was none",
    "result":
      "opened, deferred, duplicate, rejected, not-found, blocked, redirected (an interceptor had another link opened), "
      + "handler-failed, expired, or none without a URL",
    "route": "The pattern of the route that matched", "page": "The page of that route",
    "action": "How the page is shown: push or present",
    "parameters": "path, query, payload and fragment, each an object; a query key has its values in order",
    "merged":
      "All parameters; path wins over payload, payload over query, query over fragment, and the route's defaults fill in",
    "fragment": "The part behind '#', decoded; null without one",
    "ignored": "The parts of the query and the fragment that were left out, each with the reason",
    "shown": "The same for logs and reports: values of keys such as token or password are hidden",
    "reason": "The reason if not opened, as a code",
    "message": "The reason if not opened, as a sentence", "nearest": "Similar routes, for a URL that matches none",
  ]

  static let withheld: Set<String> = ["url", "parameters", "merged", "fragment"]

  /// True if a page was opened, including the page of a redirected link.
  var hasOpened: Bool { result == "opened" || result == "redirected" }

  /// Returns the outcome of the link that was redirected to this one. If the target was not opened, returns its own
  /// outcome unchanged.
  func redirected(from first: String, by interceptor: String, isSecret: Bool) -> RouteOutcome {
    guard result == "opened" else { return self }
    var outcome = self
    outcome.result = "redirected"
    outcome.reason = interceptor
    outcome.message = "'\(interceptor)' sent it to \(isSecret ? "another link" : url ?? "")"
    outcome.url = first
    return outcome
  }

  /// The outcome if there was no link.
  static let none = RouteOutcome(url: nil, "none")

  /// Creates the outcome of a link without a matching route.
  init(url: String?, _ result: String, reason: String? = nil, message: String? = nil, nearest: [String] = []) {
    self.url = url
    self.result = result
    self.reason = reason
    self.message = message
    self.nearest = nearest
    parameters = Self.parameters(RouteParameters())
    ignored = []
    merged = [:]
    shown = [:]
  }

  /// Creates the outcome of a link with a matching route.
  init(
    _ result: String, _ match: RouteMatch, _ parameters: RouteParameters, in table: RouteTable, reason: String? = nil,
    message: String? = nil
  ) {
    self.init(url: match.given, result, reason: reason, message: message)
    route = match.route.pattern.text
    page = match.route.page
    action = match.route.action.rawValue
    self.parameters = Self.parameters(parameters)
    merged = parameters.merged
    shown = table.forLog(parameters)
    fragment = match.url.fragment
    ignored = match.url.ignored
  }

  /// Creates the outcome of a link without consulting interceptors.
  init(_ url: String, _ resolution: RouteResolution, in table: RouteTable) {
    switch resolution {
    case .open(let match, let parameters): self.init("opened", match, parameters, in: table)
    case .rejected(let rejection):
      self.init(url: url, "rejected", reason: rejection.reason.rawValue, message: rejection.message)
    case .notFound(let nearest):
      self.init(url: url, "not-found", reason: "not-found", message: "no route matches", nearest: nearest)
    case .blocked(let match, let parameters, let by):
      let message =
        by == "sources"
        ? "the route may not be opened from there"
        : "the route is sensitive, and no interceptor approved a link from outside"
      self.init("blocked", match, parameters, in: table, reason: by, message: message)
    }
  }

  private static func parameters(_ parameters: RouteParameters) -> ValueObject {
    [
      "path": .object(parameters.path), "query": .object(parameters.query), "payload": .object(parameters.payload),
      "fragment": .object(parameters.fragment),
    ]
  }
}
