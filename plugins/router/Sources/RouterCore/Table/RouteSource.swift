/// The kind of sender of a link. All sources except `internal` are external.
public enum RouteSource: String, Sendable, Hashable, CaseIterable {
  /// A notification that was tapped.
  case notification
  /// Another application, which opened a URL with one of the schemes.
  case urlScheme = "url-scheme"
  /// The system, which passed on an `https` link.
  case universalLink = "universal-link"
  /// The application itself, which opened one of its own pages.
  case `internal`

  /// All sources. A route accepts them by default.
  public static let all = Set(allCases)

  /// True if the link comes from outside the application. External links open sensitive routes only with approval.
  public var isExternal: Bool { self != .internal }
}

/// The navigation actions that show a page.
public enum RouteAction: String, Sendable, Hashable, CaseIterable {
  /// The page is pushed onto the navigation stack.
  case push
  /// The page is presented over the current page.
  case present
}
