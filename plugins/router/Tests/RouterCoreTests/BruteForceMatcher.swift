import RouterCore

/// Tries every pattern against a path and picks the one that is most specific, segment by segment from the left: what
/// the trie must find, written without it.
struct BruteForceMatcher {
  let patterns: [RoutePattern]

  /// The place of the pattern that must match, or nil.
  func match(_ path: [String]) -> Int? {
    var best: (rank: [Int], index: Int)?
    for (index, pattern) in patterns.enumerated() {
      guard let rank = rank(pattern.segments, path) else { continue }
      if best == nil || rank.lexicographicallyPrecedes(best!.rank) { best = (rank, index) }
    }
    return best?.index
  }

  /// How specific a pattern is at each segment of the path, the lowest being the most specific; nil: it does not match.
  private func rank(_ segments: [RoutePattern.Segment], _ path: [String]) -> [Int]? {
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
      guard let rank = rank(segment, text, isFirst: index == 0) else { return nil }
      ranks.append(rank)
    }
    return ranks + omitted
  }

  private func rank(_ segment: RoutePattern.Segment, _ text: String, isFirst: Bool) -> Int? {
    switch segment {
    case .literal(let literal):
      (isFirst ? literal.lowercased() == text.lowercased() : literal == text) ? 0 : nil
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

  /// The types in regular expressions rather than by hand.
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
