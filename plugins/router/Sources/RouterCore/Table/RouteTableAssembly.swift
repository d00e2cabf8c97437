import FlowDiagnostics

/// Builds the parts of a ``RouteTable`` and finds conflicting routes.
struct RouteTableAssembly {
  private let routes: [Route]
  private let policy: URLPolicy
  private var builder: RouteTrieBuilder
  private var roots: [Int32] = []
  /// The root of the patterns for all hosts that universal links use, or nil if they use the same root as custom
  /// schemes.
  private var linkRoot: Int32?
  private var problems: [RouteProblem] = []
  private(set) var hosts: [HostPattern] = []
  private(set) var captures: [RouteTable.Capture] = []
  private(set) var captureSegments: [Int16] = []
  private(set) var captureStarts: [Int32] = []

  init(_ routes: [Route], policy: URLPolicy) {
    self.routes = routes
    self.policy = policy
    let literals = routes.reduce(0) { $0 + $1.pattern.segments.count }
    let separatesLinks = Self.separatesLinks(routes, policy)
    builder = RouteTrieBuilder(
      literals: separatesLinks ? literals * 2 : literals, foldsFirstSegment: !policy.caseSensitiveHost)
    if separatesLinks { linkRoot = builder.addRoot() }
  }

  /// True if universal links need a separate tree, because the first segments of two patterns differ only in case.
  /// Universal links distinguish them but custom schemes do not.
  private static func separatesLinks(_ routes: [Route], _ policy: URLPolicy) -> Bool {
    guard !policy.hosts.isEmpty, !policy.caseSensitiveHost else { return false }
    let words = routes.compactMap { route -> String? in
      guard route.pattern.host == nil, case .literal(let text) = route.pattern.segments.first else { return nil }
      return text
    }
    // If no segment has a capital letter, none can differ only in case.
    guard words.contains(where: { $0.utf8.contains { ASCII.lowercased($0) != $0 } }) else { return false }
    return Set(words.map { $0.lowercased() }).count < Set(words).count
  }

  /// Adds all routes unless there are too many. Returns the problems, ordered by route.
  mutating func assemble() -> [RouteProblem] {
    guard routes.count <= RouteTable.routeLimit else {
      report(
        .tooManyRoutes, RouteTable.routeLimit, "there are \(routes.count) routes, more than \(RouteTable.routeLimit)")
      return problems
    }
    roots.append(builder.addRoot())
    captureStarts.reserveCapacity(routes.count + 1)
    captures.reserveCapacity(routes.count)
    captureSegments.reserveCapacity(routes.count)
    for index in routes.indices { add(index) }
    captureStarts.append(Int32(captures.count))
    noteAmbiguousEnumerations()
    return problems.sorted { $0.index < $1.index }
  }

  /// Returns the tree and its roots: the root for all hosts, one for each of `hosts`, and finally the root for all
  /// hosts that universal links use.
  consuming func finishedTrie() -> (RouteTrie, [Int32]) {
    let (trie, laidOut) = builder.finished(roots: roots + (linkRoot.map { [$0] } ?? []))
    return (trie, linkRoot == nil ? laidOut + [laidOut[0]] : laidOut)
  }

  private mutating func add(_ index: Int) {
    let route = routes[index]
    captureStarts.append(Int32(captures.count))
    addCaptures(of: route.pattern)
    if route.page.isEmpty {
      report(.noPage, index, "'\(route.pattern)' has no literal to name its page", help: "add 'page'")
    }
    guard let root = root(of: route.pattern, index) else { return }
    let (end, shorterEnd) = builder.insert(route.pattern.segments, below: root, folds: route.pattern.host == nil)
    settle(index, at: end)
    if let shorterEnd { settleShorter(index, at: shorterEnd) }
    guard let linkRoot, route.pattern.host == nil else { return }
    let (linkEnd, shorterLinkEnd) = builder.insert(route.pattern.segments, below: linkRoot, folds: false)
    // Conflicts in this tree are also conflicts in the common tree, where they have been reported.
    let other = builder.route(at: linkEnd)
    if other.map({ routes[$0].priority < route.priority }) ?? true { builder.setRoute(index, at: linkEnd) }
    if let shorterLinkEnd { settleShorter(index, at: shorterLinkEnd) }
  }

  private mutating func addCaptures(of pattern: RoutePattern) {
    let count = pattern.segments.count
    var isBehindRest = false
    for (depth, segment) in pattern.segments.enumerated() {
      switch segment {
      case .rest:
        captures.append(.init(name: RoutePattern.restName, type: .string, segmentsBehindRest: count - depth - 1))
        captureSegments.append(Int16(depth))
        isBehindRest = true
      case .parameter(let name, let type, _):
        captures.append(.init(name: name, type: type))
        captureSegments.append(Int16(isBehindRest ? depth - count : depth))
      case .literal, .any: break
      }
    }
  }

  private mutating func root(of pattern: RoutePattern, _ index: Int) -> Int32? {
    if let scheme = pattern.scheme, !policy.schemes.contains(scheme) {
      let correction = Correction(scheme, among: policy.schemes)
      report(
        .unknownScheme, index, "'\(pattern)' is for the scheme '\(scheme)', which is not declared",
        help: correction?.question ?? "add '\(scheme)' to 'schemes'", correction: correction)
      return nil
    }
    guard let host = pattern.host else { return roots[0] }
    if let known = hosts.firstIndex(of: host) { return roots[known + 1] }
    guard policy.hosts.contains(where: { $0.covers(host) }) else {
      let correction = Correction(host.description, among: policy.hosts.map(\.description))
      report(
        .unknownHost, index, "'\(pattern)' is for the host '\(host)', which is not declared",
        help: correction?.question ?? "add '\(host)' to 'hosts'", correction: correction)
      return nil
    }
    hosts.append(host)
    roots.append(builder.addRoot())
    return roots[roots.count - 1]
  }

  /// Makes a node the end of route `index`. If another route of the same shape ends there, the one with the higher
  /// priority is used. Equal priorities are a problem.
  private mutating func settle(_ index: Int, at node: Int32) {
    guard let other = builder.route(at: node) else { return builder.setRoute(index, at: node) }
    let (priority, otherPriority) = (routes[index].priority, routes[other].priority)
    if priority > otherPriority { builder.setRoute(index, at: node) }
    guard priority == otherPriority else { return }
    report(
      .duplicateRoute, index, "'\(routes[index].pattern)' matches the same URLs as '\(routes[other].pattern)'",
      other,
      help: isSameInCase(index, other)
        ? "remove one, or give one of them a higher 'priority'"
        : "a custom scheme compares the first segment without case: rename one, or set 'case-sensitive-host: true'")
  }

  private func isSameInCase(_ index: Int, _ other: Int) -> Bool {
    guard case .literal(let text) = routes[index].pattern.segments.first,
      case .literal(let otherText) = routes[other].pattern.segments.first
    else { return true }
    return text == otherText
  }

  /// Makes a node the end of route `index` without its optional last segment, unless a route already ends there whose
  /// last parameter has a more specific type or, with the same type, whose priority is not lower.
  private mutating func settleShorter(_ index: Int, at node: Int32) {
    guard let other = builder.shorterRoute(at: node) else { return builder.setShorterRoute(index, at: node) }
    let (type, otherType) = (lastType(index), lastType(other))
    if type.precedes(otherType) || (type == otherType && routes[index].priority > routes[other].priority) {
      builder.setShorterRoute(index, at: node)
    }
  }

  private func lastType(_ index: Int) -> ParameterType {
    if case .parameter(_, let type, _) = routes[index].pattern.segments.last { type } else { .string }
  }

  private mutating func report(
    _ kind: RouteProblem.Kind, _ index: Int, _ message: String, _ related: Int? = nil, help: String? = nil,
    correction: Correction? = nil
  ) {
    problems.append(
      RouteProblem(
        kind: kind, index: index, relatedIndex: related, message: message, help: help, correction: correction))
  }
}

// MARK: - Word lists

extension RouteTableAssembly {
  /// Reports pairs of ambiguous patterns. Such patterns differ only in word lists of the same length that have a word
  /// in common.
  private mutating func noteAmbiguousEnumerations() {
    var byShape: [[RoutePattern.Segment]: [Int]] = [:]
    for index in routes.indices where routes[index].pattern.segments.contains(where: { words(of: $0) != nil }) {
      byShape[shape(of: routes[index].pattern), default: []].append(index)
    }
    for (_, group) in byShape where group.count > 1 {
      for (position, index) in group.enumerated() {
        for other in group[..<position] where isAmbiguous(index, other) {
          report(
            .ambiguousRoute, index,
            "'\(routes[index].pattern)' and '\(routes[other].pattern)' overlap, and neither is more specific", other,
            help: "move the shared word to one of them")
          break
        }
      }
    }
  }

  /// Returns the pattern's segments without parameter names, and with each list of words replaced by its length.
  private func shape(of pattern: RoutePattern) -> [RoutePattern.Segment] {
    pattern.segments.map { segment in
      if let words = words(of: segment) { return .literal("\(words.count)*") }
      if case .parameter(_, let type, let isOptional) = segment {
        return .parameter(name: "", type: type, isOptional: isOptional)
      }
      return segment
    } + [.literal(pattern.host?.description ?? "")]
  }

  private func isAmbiguous(_ left: Int, _ right: Int) -> Bool {
    var differs = false
    for (segment, other) in zip(routes[left].pattern.segments, routes[right].pattern.segments) {
      guard let words = words(of: segment).map(Set.init), let others = self.words(of: other) else { continue }
      if words.isDisjoint(with: others) { return false }
      if words != Set(others) { differs = true }
    }
    return differs
  }

  private func words(of segment: RoutePattern.Segment) -> [String]? {
    if case .parameter(_, .enumeration(let words), _) = segment { words } else { nil }
  }
}
