/// A route that no URL reaches, because others take every URL it matches.
public struct ShadowedRoute: Sendable, Hashable {
  /// The place of the route.
  public let index: Int
  /// The place of a route that takes its URLs.
  public let byIndex: Int
  /// A URL that it matches and does not get.
  public let example: String
}

extension RouteTable {
  /// The routes that no URL reaches.
  ///
  /// For each route it asks the table about the URLs that the fewest others match: for a parameter a text of its type
  /// and of as few others as there can be, for `bool` and `enum` each word, for `**` every number of segments up to more
  /// than any pattern has. If none of these comes back to the route, no URL does.
  public func shadowedRoutes() -> [ShadowedRoute] {
    let witnesses = WitnessMaker(routes: routes, scheme: policy.schemes[0])
    return routes.indices.compactMap { index in
      var taken: ShadowedRoute?
      for url in witnesses.urls(for: routes[index].pattern) {
        guard case .match(let match) = lookUp(url), match.routeIndex != index else { return nil }
        taken = taken ?? ShadowedRoute(index: index, byIndex: match.routeIndex, example: url)
      }
      return taken
    }
  }
}

/// Makes URLs that a pattern matches and as few others as possible do.
private struct WitnessMaker {
  /// The most URLs asked for one route; only patterns with many lists of words have more.
  private static let limit = 4096
  private let scheme: String
  /// Texts that patterns name, which a witness avoids.
  private let taken: Set<String>
  private let longestPattern: Int

  init(routes: [Route], scheme: String) {
    self.scheme = scheme
    var taken: Set<String> = []
    for segment in routes.lazy.flatMap(\.pattern.segments) {
      switch segment {
      case .literal(let text): taken.insert(text)
      case .parameter(_, .enumeration(let words), _): taken.formUnion(words)
      default: break
      }
    }
    self.taken = taken
    longestPattern = routes.map(\.pattern.segments.count).max() ?? 0
  }

  func urls(for pattern: RoutePattern) -> [String] {
    let prefix = pattern.host.map { "https://\($0.isWildcard ? "any." : "")\($0.name)/" } ?? "\(scheme)://"
    var paths = [""]
    var shorter: [String] = []
    for segment in pattern.segments {
      if case .parameter(_, _, isOptional: true) = segment { shorter = paths }
      let texts = texts(for: segment, upTo: min(longestPattern + 1, 65 - pattern.segments.count))
      paths = paths.flatMap { path in texts.map { path.isEmpty ? $0 : "\(path)/\($0)" } }
      if paths.count > Self.limit { paths.removeLast(paths.count - Self.limit) }
    }
    return (paths + shorter).map { prefix + $0 }
  }

  private func texts(for segment: RoutePattern.Segment, upTo count: Int) -> [String] {
    switch segment {
    case .literal(let text): [PercentEncoding.encode(text)]
    case .any: [free("~")]
    case .rest: (1...count).map { Array(repeating: free("~"), count: $0).joined(separator: "/") }
    case .parameter(_, let type, _): texts(of: type)
    }
  }

  private func texts(of type: ParameterType) -> [String] {
    switch type {
    case .enumeration(let words): words
    case .boolean: ["true", "false"]
    case .uuid: ["ABCDEF01-2345-4789-ABCD-EF0123456789"]
    case .date: ["2024-02-29"]
    case .unsignedInteger: [free("7")]
    case .integer: [free("-7")]
    case .double: [free("7.5")]
    case .slug: [free("z-7")]
    case .url: ["\(scheme):%2F%2F~"]
    case .string: [free("~")]
    }
  }

  /// The text, made longer until no pattern names it.
  private func free(_ text: String) -> String {
    var text = text
    while taken.contains(text) { text += "7" }
    return text
  }
}
