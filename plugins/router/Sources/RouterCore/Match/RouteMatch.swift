import FlowModel

/// A URL and the route that matches it. Parameters are decoded on demand.
public struct RouteMatch: Sendable {
  /// The URL as it was received.
  public let given: String
  /// The parsed URL. If fragments are read as paths, its path includes the fragment.
  public let url: ScannedURL
  /// The index of the route in ``table``.
  public let routeIndex: Int
  /// The table in which the URL was looked up.
  public let table: RouteTable

  /// The route that matches the URL.
  public var route: Route { table.routes[routeIndex] }

  /// Returns the decoded text of a path parameter, or nil if the route has no such parameter or the URL omits it.
  public func pathParameter(_ name: String) -> String? {
    for index in table.captureRange(of: routeIndex) where table.capture(index).name == name { return text(at: index) }
    return nil
  }

  /// Returns the decoded text of the path parameter with this index among the pattern's parameters, counted from 0, or
  /// nil if the URL omits it. The index must be valid.
  public func pathParameter(at index: Int) -> String? {
    let range = table.captureRange(of: routeIndex)
    precondition(index >= 0 && index < range.count, "the route has \(range.count) parameters")
    return text(at: range.lowerBound + index)
  }

  /// The path parameters in the order of the pattern, with numbers and Booleans converted from text.
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

  /// Returns the segments matched by `**`, joined by slashes. A slash inside a segment becomes `%2F`.
  private func rest(from first: Int, _ behind: Int) -> String {
    (first..<url.segmentCount - behind).map { url.segment($0).replacing("/", with: "%2F") }.joined(separator: "/")
  }
}
