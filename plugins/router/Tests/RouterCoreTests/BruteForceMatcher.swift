import RouterCore

/// A matcher that compares a path with every pattern and selects the most specific one, segment by segment from the
/// left. The trie must find the same pattern.
struct BruteForceMatcher {
  let routes: [Route]

  /// Returns the index of the pattern that the trie must find, or nil if none matches. If `host` is nil, the URL has a
  /// custom scheme; otherwise it is a universal link to that host.
  func match(_ path: [String], host: String? = nil) -> Int? {
    var best: (rank: [Int], index: Int)?
    for (index, route) in routes.enumerated() {
      guard let hostRank = rank(route.pattern.host, host),
        let rank = rank(route.pattern.segments, path, foldsFirst: host == nil)
      else { continue }
      let whole = [hostRank] + rank + [-route.priority]
      if best == nil || whole.lexicographicallyPrecedes(best!.rank) { best = (whole, index) }
    }
    return best?.index
  }

  /// Returns the rank of a host pattern, or nil if it does not match. The lowest rank is the most specific. Exact names
  /// precede wildcards, longer wildcards precede shorter ones, and patterns for all hosts come last.
  private func rank(_ pattern: HostPattern?, _ host: String?) -> Int? {
    guard let pattern else { return 0 }
    guard let host else { return nil }
    if !pattern.isWildcard { return pattern.name == host ? -1_000 : nil }
    return host.hasSuffix("." + pattern.name) ? -pattern.name.count : nil
  }

  /// Returns the ranks of a pattern's segments, or nil if the pattern does not match. The lowest ranks are the most
  /// specific.
  private func rank(_ segments: [RoutePattern.Segment], _ path: [String], foldsFirst: Bool) -> [Int]? {
    var segments = segments
    var omitted: [Int] = []
    if case .parameter(_, let type, isOptional: true) = segments.last, segments.count == path.count + 1 {
      omitted = [1 + typeRank(type)]
      segments.removeLast()
    }
    if let rest = segments.firstIndex(of: .rest) {
      guard path.count >= segments.count else { return nil }
      segments.replaceSubrange(rest...rest, with: Array(repeating: .rest, count: path.count - segments.count + 1))
    }
    guard segments.count == path.count else { return nil }
    var ranks: [Int] = []
    for (index, (segment, text)) in zip(segments, path).enumerated() {
      guard let rank = rank(segment, text, folds: foldsFirst && index == 0) else { return nil }
      ranks.append(rank)
    }
    return ranks + omitted
  }

  private func rank(_ segment: RoutePattern.Segment, _ text: String, folds: Bool) -> Int? {
    switch segment {
    case .literal(let literal):
      (folds ? literal.lowercased() == text.lowercased() : literal == text) ? 0 : nil
    case .parameter(_, let type, _): accepts(type, text) ? 1 + typeRank(type) : nil
    case .any: 1_000
    case .rest: 1_001
    }
  }

  private func typeRank(_ type: ParameterType) -> Int {
    if case .enumeration(let words) = type { return words.count }
    let order = ["bool", "uuid", "date", "uint", "int", "double", "slug", "url", "string"]
    return 100 + order.firstIndex(of: type.text)!
  }

  /// Uses regular expressions, unlike the implementation under test.
  private func accepts(_ type: ParameterType, _ text: String) -> Bool {
    switch type {
    case .string: true
    case .enumeration(let words): words.contains(text)
    case .boolean: text == "true" || text == "false"
    case .unsignedInteger: text.wholeMatch(of: /[0-9]+/) != nil && UInt64(text) != nil
    case .integer: text.wholeMatch(of: /-?[0-9]+/) != nil && Int64(text) != nil
    case .double: text.wholeMatch(of: /-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?/) != nil && Double(text)!.isFinite
    case .slug: text.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil
    case .uuid: text.wholeMatch(of: /[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}/) != nil
    case .date: text.wholeMatch(of: /[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])/) != nil
    case .url: text.wholeMatch(of: /[a-zA-Z][-+.a-zA-Z0-9]*:.*/) != nil
    }
  }
}
