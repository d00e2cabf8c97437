import FlowModel

/// A URL and the route it leads to. Parameters are read out of the URL when they are asked for.
public struct RouteMatch: Sendable {
  /// The URL as it was received.
  public let given: String
  /// The URL, taken apart; a fragment that is a path is part of its path.
  public let url: ScannedURL
  /// The index of the route in its table.
  public let routeIndex: Int
  /// The table that matched.
  public let table: RouteTable

  /// The route.
  public var route: Route { table.routes[routeIndex] }

  /// The text of a path parameter, decoded; nil when the route has none of this name or it is missing.
  public func pathParameter(_ name: String) -> String? {
    for index in table.captureRange(of: routeIndex) where table.capture(index).name == name { return text(at: index) }
    return nil
  }

  /// The text of the path parameter at an index, in the order of the pattern; nil when it is missing.
  public func pathParameter(at index: Int) -> String? {
    let range = table.captureRange(of: routeIndex)
    precondition(index >= 0 && index < range.count, "the route has \(range.count) parameters")
    return text(at: range.lowerBound + index)
  }

  /// The path parameters in the order of the pattern, numbers and booleans as such.
  public var pathParameters: ValueObject {
    var object = ValueObject()
    for index in table.captureRange(of: routeIndex) {
      let capture = table.capture(index)
      if let text = text(at: index) { object[capture.name] = capture.type.value(of: text) }
    }
    return object
  }

  @inline(__always)
  private func text(at index: Int) -> String? {
    guard let segment = table.segment(ofCapture: index, in: url.segmentCount) else { return nil }
    if let behind = table.capture(index).segmentsBehindRest { return rest(from: segment, behind) }
    return url.segment(segment)
  }

  /// What `**` took: its segments with slashes between them, a slash of a segment's own as `%2F`.
  private func rest(from first: Int, _ behind: Int) -> String {
    (first..<url.segmentCount - behind).map { url.segment($0).replacing("/", with: "%2F") }.joined(separator: "/")
  }
}
