import FlowDiagnostics
import FlowModel

/// The outcome of resolving a link, before pending routes and the user interface are considered.
public enum RouteResolution: Sendable {
  /// A route matches and may be opened with these parameters.
  case open(RouteMatch, RouteParameters)
  /// The URL or one of its parameters is invalid.
  case rejected(URLRejection)
  /// No route matches. Contains the patterns that are most similar to the URL.
  case notFound(nearest: [String])
  /// A route matches but may not be opened from this source. The string is the reason, `sensitive` or `sources`.
  case blocked(RouteMatch, RouteParameters, by: String)
}

extension RouteTable {
  /// True if a route matches the link and the notification's `action` opens its page. The link may still be blocked
  /// because of its source.
  public func accepts(_ link: LaunchOptions.Link, action: String) -> Bool {
    switch resolve(link.url, from: link.source, payload: link.parameters) {
    case .open(let match, _), .blocked(let match, _, by: _):
      action == NotificationAnswer.open || match.route.notificationActions.contains(action)
    case .rejected, .notFound: false
    }
  }

  /// Resolves `url`, which arrived from `source` with the parameters in `payload`.
  ///
  /// If `source` is nil, it is derived from the form of the URL: `url-scheme` or `universal-link`. If `isApproved` is
  /// true, an interceptor has approved the link, and external links may open sensitive routes.
  public func resolve(
    _ url: String, from source: RouteSource? = nil, payload: ValueObject = [:], isApproved: Bool = false
  ) -> RouteResolution {
    switch lookUp(url) {
    case .rejected(let rejection): return .rejected(rejection)
    case .notFound(let scanned): return .notFound(nearest: nearest(to: scanned))
    case .match(let match):
      do throws(URLRejection) {
        let parameters = try match.parameters(payload: payload)
        let source = source ?? (match.url.kind == .universalLink ? .universalLink : .urlScheme)
        let route = match.route
        if !route.sources.contains(source) { return .blocked(match, parameters, by: "sources") }
        if route.isSensitive, source.isExternal, !isApproved { return .blocked(match, parameters, by: "sensitive") }
        return .open(match, parameters)
      } catch {
        return .rejected(error)
      }
    }
  }

  /// Returns up to three patterns that resemble a URL without a match, the most similar first (N40).
  func nearest(to url: ScannedURL) -> [String] {
    let segments = url.segments
    var found: [(distance: Int, pattern: String)] = []
    for route in routes {
      guard let distance = distance(of: segments, to: route.pattern.segments) else { continue }
      found.append((distance, route.pattern.text))
    }
    return found.sorted { ($0.distance, $0.pattern) < ($1.distance, $1.pattern) }.prefix(3).map(\.pattern)
  }

  /// Returns the distance between a path and a pattern, or nil if they are too different to suggest the pattern.
  private func distance(of path: [String], to pattern: [RoutePattern.Segment]) -> Int? {
    let hasRest = pattern.contains(.rest)
    let surplus = hasRest ? max(0, pattern.count - path.count) : abs(path.count - pattern.count)
    guard surplus <= 1 else { return nil }
    var distance = surplus * 2
    var literals = 0
    for (segment, part) in zip(path, pattern) {
      if part == .rest { break }
      guard case .literal(let text) = part else { continue }
      guard segment.utf8.count <= 64 else { return nil }
      let edits = NearestName.distance(segment.lowercased(), text.lowercased())
      guard edits <= max(1, text.count / 3) else { return nil }
      distance += edits
      literals += 1
    }
    return literals > 0 ? distance : nil
  }
}
