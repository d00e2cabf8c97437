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

/// A small generator of the same numbers for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
