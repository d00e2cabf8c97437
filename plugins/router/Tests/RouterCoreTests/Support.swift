import FlowModel
import RouterCore

/// The policy of the requirements: `app://` with the alias `myapp://` (C6).
func seedPolicy(hosts: [String] = []) throws -> URLPolicy {
  try URLPolicy(schemes: ["app", "myapp"], hosts: hosts)
}

/// Creates a table from patterns. A pattern without a literal has the page `page`.
func table(_ patterns: [String], policy: URLPolicy? = nil) throws -> RouteTable {
  let routes = try patterns.map { text in
    let pattern = try RoutePattern(text)
    return Route(pattern, page: pattern.firstLiteral ?? "page")
  }
  return try RouteTable(routes, policy: policy ?? seedPolicy())
}

extension RouteTable {
  /// The result of a lookup as text: the matching pattern, `rejected REASON`, or `not found`.
  func outcome(_ url: String) -> String {
    switch lookUp(url) {
    case .match(let match): match.route.pattern.text
    case .notFound: "not found"
    case .rejected(let rejection): "rejected \(rejection.reason.rawValue)"
    }
  }

  /// The path parameters of a URL, or nil if it does not match.
  func pathParameters(_ url: String) -> ValueObject? {
    if case .match(let match) = lookUp(url) { match.pathParameters } else { nil }
  }
}
