/// Where a link came from; everything but `internal` is outside.
public enum RouteSource: String, Sendable, Hashable, CaseIterable {
  /// A notification that was tapped.
  case notification
  /// Another application opened one of the schemes.
  case urlScheme = "url-scheme"
  /// The system handed over an `https` link.
  case universalLink = "universal-link"
  /// The application itself.
  case `internal`

  /// All of them: from where a route may be opened unless it says otherwise.
  public static let all = Set(allCases)

  /// Whether the link was made by someone else, whom a sensitive route does not trust.
  public var isExternal: Bool { self != .internal }
}

/// How a page comes on.
public enum RouteAction: String, Sendable, Hashable, CaseIterable {
  /// Onto the navigation stack.
  case push
  /// Above what is there.
  case present
}
