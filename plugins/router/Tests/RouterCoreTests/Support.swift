import FlowModel
import RouterCore

/// Returns the policy that the requirements describe: `app://` with the alias `myapp://` (C6).
func seedPolicy(hosts: [String] = []) throws -> URLPolicy {
  try URLPolicy(schemes: ["app", "myapp"], hosts: hosts)
}

/// Creates a table from patterns. The page of a pattern without a literal is `page`.
func table(_ patterns: [String], policy: URLPolicy? = nil) throws -> RouteTable {
  let routes = try patterns.map { text in
    let pattern = try RoutePattern(text)
    return Route(pattern, page: pattern.firstLiteral ?? "page")
  }
  return try RouteTable(routes, policy: policy ?? seedPolicy())
}

extension RouteTable {
  /// Returns the result of a lookup as text: the matching pattern, `rejected REASON` or `not found`.
  func outcome(_ url: String) -> String {
    switch lookUp(url) {
    case .match(let match): match.route.pattern.text
    case .notFound: "not found"
    case .rejected(let rejection): "rejected \(rejection.reason.rawValue)"
    }
  }

  /// Returns the path parameters of a URL, or nil if no route matches.
  func pathParameters(_ url: String) -> ValueObject? {
    if case .match(let match) = lookUp(url) { match.pathParameters } else { nil }
  }
}
