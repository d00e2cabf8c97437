import FlowModel

/// A URL and the route it leads to. Parameters are read out of the URL when they are asked for.
public struct RouteMatch: Sendable {
  /// The URL, taken apart.
  public let url: ScannedURL
  /// The place of the route in its table.
  public let routeIndex: Int
  /// The table that matched.
  public let table: RouteTable

  /// The route.
  public var route: Route { table.routes[routeIndex] }

  /// The text of a path parameter, decoded; nil when the route has none of this name or it is missing.
  public func pathParameter(_ name: String) -> String? {
    for capture in table.captures(of: routeIndex) where capture.name == name {
      return segment(of: capture).map(url.segment)
    }
    return nil
  }

  /// How many path parameters the route has, missing ones included.
  public var pathParameterCount: Int { table.captures(of: routeIndex).count }

  /// The text of the path parameter at a place, in the order of the pattern; nil when it is missing.
  public func pathParameter(at place: Int) -> String? {
    let captures = table.captures(of: routeIndex)
    return segment(of: captures[captures.startIndex + place]).map(url.segment)
  }

  /// The path parameters in the order of the pattern, numbers and booleans as such.
  public var pathParameters: ValueObject {
    var object = ValueObject()
    for capture in table.captures(of: routeIndex) {
      if let segment = segment(of: capture) { object[capture.name] = capture.type.value(of: url.segment(segment)) }
    }
    return object
  }

  private func segment(of capture: RouteTable.Capture) -> Int? {
    if capture.segment < 0 { return url.segmentCount + capture.segment }
    return capture.segment < url.segmentCount ? capture.segment : nil
  }
}
