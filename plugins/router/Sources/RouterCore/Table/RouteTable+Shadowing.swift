/// A route that no URL reaches, or no URL with a custom scheme, because other routes match first.
public struct ShadowedRoute: Sendable, Hashable {
  /// The index of the shadowed route.
  public let index: Int
  /// The index of a route that is reached instead.
  public let byIndex: Int
  /// A URL that matches the route but opens another one.
  public let example: String
  /// True if no URL reaches the route. If false, the route has more combinations of words than were tested, and all
  /// tested ones reach other routes.
  public let isProven: Bool
  /// A universal link that reaches the route although no URL of a custom scheme does, or nil. The first segment of a
  /// custom scheme's URL is compared ignoring case, but the path of a universal link is not.
  public let link: String?

  /// Returns a human-readable message, and the reason for it.
  public func finding(among routes: [Route]) -> (message: String, reason: String) {
    let reason = "'\(routes[byIndex].pattern)' matches \(example), for example"
    if let link {
      let scheme = example.prefix { $0 != ":" }
      return (
        "no \(scheme):// URL reaches '\(routes[index].pattern)', only links such as \(link)",
        "\(reason); a custom scheme compares the first segment without case"
      )
    }
    guard !isProven else { return ("no URL reaches '\(routes[index].pattern)'", reason) }
    return (
      "whether a URL reaches '\(routes[index].pattern)' is not proven",
      "the first \(RouteTable.witnessLimit) of its combinations lead elsewhere: \(reason)"
    )
  }
}

extension RouteTable {
  /// The maximum number of URLs tested per route. Only patterns with many lists of words need more.
  static let witnessLimit = 4_096

  /// Returns the routes that no URL reaches. Also returns routes for all hosts that only universal links reach.
  ///
  /// For each route, it looks up URLs that match as few other routes as possible. A parameter's value is a string that
  /// appears in no pattern and fits as few other types as possible. Each word of `bool` and `enum` is tested. `**` is
  /// tested with every number of segments up to one more than the longest pattern has. If none of these URLs reaches
  /// the route, no URL does. If there are too many to test, `isProven` is false.
  public func shadowedRoutes() -> [ShadowedRoute] {
    let witnesses = WitnessMaker(routes: routes, policy: policy)
    return routes.indices.compactMap { index in
      var taken: (by: Int, example: String)?
      let (urls, isComplete) = witnesses.urls(for: routes[index].pattern)
      for url in urls {
        // A URL that is refused proves nothing about routes.
        guard case .match(let match) = lookUp(url) else { continue }
        if match.routeIndex == index { return nil }
        taken = taken ?? (match.routeIndex, url)
      }
      return taken.map { taken in
        let link = witnesses.links(for: routes[index].pattern).first { reaches(index, $0) }
        return ShadowedRoute(
          index: index, byIndex: taken.by, example: taken.example, isProven: isComplete, link: link)
      }
    }
  }

  private func reaches(_ index: Int, _ url: String) -> Bool {
    if case .match(let match) = lookUp(url) { match.routeIndex == index } else { false }
  }
}

/// Creates URLs that match a pattern and as few other patterns as possible.
private struct WitnessMaker {
  private let scheme: String
  /// The literals and words of all patterns in lower case, which test URLs must avoid.
  private let taken: Set<String>
  /// A host label that appears in no pattern and in no policy.
  private let label: String
  private let longestPattern: Int
  private let hosts: [HostPattern]

  init(routes: [Route], policy: URLPolicy) {
    scheme = policy.schemes[0]
    hosts = policy.hosts
    var taken: Set<String> = []
    for segment in routes.lazy.flatMap(\.pattern.segments) {
      switch segment {
      case .literal(let text): taken.insert(text.lowercased())
      case .parameter(_, .enumeration(let words), _): taken.formUnion(words.map { $0.lowercased() })
      default: break
      }
    }
    self.taken = taken
    longestPattern = routes.map(\.pattern.segments.count).max() ?? 0
    let labels = Set(
      (routes.compactMap(\.pattern.host) + policy.hosts).flatMap { $0.name.split(separator: ".").map(String.init) })
    label = Self.first(where: { !labels.contains($0) }) { $0 == 0 ? "any" : "any\($0)" }
  }

  /// Returns test URLs for a pattern. `isComplete` is true if they cover all cases.
  func urls(for pattern: RoutePattern) -> (urls: [String], isComplete: Bool) {
    let (paths, isComplete) = paths(for: pattern)
    let prefix = pattern.host.map(prefix) ?? "\(scheme)://"
    return (paths.map { prefix + $0 }, isComplete)
  }

  /// Returns universal links for a pattern that is not limited to a host.
  func links(for pattern: RoutePattern) -> some Sequence<String> {
    let prefixes = pattern.host == nil ? hosts.map(prefix) : []
    let paths = prefixes.isEmpty ? [] : paths(for: pattern).paths
    return prefixes.lazy.flatMap { prefix in paths.lazy.map { prefix + $0 } }
  }

  private func prefix(_ host: HostPattern) -> String {
    "https://\(host.isWildcard ? label + "." : "")\(host.name)/"
  }

  private func paths(for pattern: RoutePattern) -> (paths: [String], isComplete: Bool) {
    var paths = [""]
    var shorter: [String] = []
    var isComplete = true
    for segment in pattern.segments {
      if case .parameter(_, _, isOptional: true) = segment { shorter = paths }
      let texts = texts(for: segment, upTo: min(longestPattern + 1, 65 - pattern.segments.count))
      paths = paths.flatMap { path in texts.map { path.isEmpty ? $0 : "\(path)/\($0)" } }
      if paths.count > RouteTable.witnessLimit {
        paths.removeLast(paths.count - RouteTable.witnessLimit)
        isComplete = false
      }
    }
    return (paths + shorter, isComplete)
  }

  private func texts(for segment: RoutePattern.Segment, upTo count: Int) -> [String] {
    switch segment {
    case .literal(let text): [PercentEncoding.encode(text)]
    case .any: [free { "~" + Self.sevens($0) }]
    case .rest:
      (1...count).map { Array(repeating: free { "~" + Self.sevens($0) }, count: $0).joined(separator: "/") }
    case .parameter(_, let type, _): texts(of: type)
    }
  }

  private func texts(of type: ParameterType) -> [String] {
    switch type {
    case .enumeration(let words): words
    case .boolean: ["true", "false"]
    case .uuid: [free { "ABCDEF01-2345-4789-ABCD-" + Self.digits($0, 12) }]
    case .date:
      [
        free {
          "\(Self.digits(1 + $0 / 336 % 9_999, 4))-\(Self.digits(1 + $0 / 28 % 12, 2))-\(Self.digits(1 + $0 % 28, 2))"
        }
      ]
    case .unsignedInteger: [free { String(7 + $0) }]
    case .integer: [free { String(-7 - $0) }]
    case .double: [free { "7.5" + Self.sevens($0) }]
    case .slug: [free { "z-7" + Self.sevens($0) }]
    case .url: ["\(scheme)%3A%2F%2F" + free(within: "\(scheme)://") { "~" + Self.sevens($0) }]
    case .string: [free { "~" + Self.sevens($0) }]
    }
  }

  /// Returns the first generated text that is not a pattern's literal or word when appended to `prefix`.
  private func free(within prefix: String = "", _ make: (Int) -> String) -> String {
    Self.first(where: { !taken.contains((prefix + $0).lowercased()) }, make)
  }

  /// Terminates because all texts that `make` returns differ and only finitely many are in use.
  private static func first(where isFree: (String) -> Bool, _ make: (Int) -> String) -> String {
    var count = 0
    while !isFree(make(count)) { count += 1 }
    return make(count)
  }

  private static func sevens(_ count: Int) -> String { String(repeating: "7", count: count) }

  private static func digits(_ number: Int, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }
}
