import FlowModel
import RouterCore

/// The policy of the seed: `app://` with `myapp://` as its alias (C6).
func seedPolicy(hosts: [String] = []) throws -> URLPolicy {
  try URLPolicy(schemes: ["app", "myapp"], hosts: hosts)
}

/// A table of patterns alone; a pattern without a literal gets the page `page`.
func table(_ patterns: [String], policy: URLPolicy? = nil) throws -> RouteTable {
  let routes = try patterns.map { text in
    let pattern = try RoutePattern(text)
    return Route(pattern, page: pattern.firstLiteral ?? "page")
  }
  return try RouteTable(routes, policy: policy ?? seedPolicy())
}

extension RouteTable {
  /// The pattern that matches, `rejected REASON`, or `not found`: a lookup in a word.
  func outcome(_ url: String) -> String {
    switch lookUp(url) {
    case .match(let match): match.route.pattern.text
    case .notFound: "not found"
    case .rejected(let rejection): "rejected \(rejection.reason.rawValue)"
    }
  }

  /// The path parameters of a URL that matches.
  func pathParameters(_ url: String) -> ValueObject? {
    if case .match(let match) = lookUp(url) { match.pathParameters } else { nil }
  }
}
