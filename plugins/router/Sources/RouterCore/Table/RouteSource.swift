/// The kind of sender of a link. All sources except `internal` are external.
public enum RouteSource: String, Sendable, Hashable, CaseIterable {
  /// A tapped notification.
  case notification
  /// Another application, which opened a URL with one of the schemes.
  case urlScheme = "url-scheme"
  /// The system, which passed on an `https` link.
  case universalLink = "universal-link"
  /// The application itself.
  case `internal`

  /// All sources; the default of a route.
  public static let all = Set(allCases)

  /// True if the link comes from outside the application. External links open sensitive routes only with approval.
  public var isExternal: Bool { self != .internal }
}

/// The presentation of a page.
public enum RouteAction: String, Sendable, Hashable, CaseIterable {
  /// Pushed onto the navigation stack.
  case push
  /// Presented over the current page.
  case present
}
