/// The maximum sizes of a URL, as listed in the router's README. A larger URL is refused before it is matched with
/// routes.
public struct URLLimits: Sendable, Hashable {
  /// The maximum length of a received URL, in bytes.
  public var urlBytes: Int
  /// The maximum number of path segments of a URL.
  public var segments: Int
  /// The maximum length of a segment, query key, query value or fragment after decoding, in bytes.
  public var parameterBytes: Int
  /// The maximum number of `key=value` pairs in a query and, if it is read as parameters, the fragment together.
  public var queryItems: Int

  /// Creates limits. Only `parameterBytes` may exceed its default, because the scanner's 16-bit offsets rely on the
  /// others.
  public init(urlBytes: Int = 2048, segments: Int = 64, parameterBytes: Int = 1024, queryItems: Int = 64) {
    precondition(urlBytes <= 2048 && segments <= 64 && queryItems <= 64, "limits may only be tightened")
    self.urlBytes = urlBytes
    self.segments = segments
    self.parameterBytes = parameterBytes
    self.queryItems = queryItems
  }
}
