/// The sizes past which a URL is refused before any route is tried; the router's README lists them.
public struct URLLimits: Sendable, Hashable {
  /// Bytes of a URL as it was received.
  public var urlBytes: Int
  /// Path segments of a URL and of a pattern.
  public var segments: Int
  /// Bytes of one segment, query key, query value or fragment after decoding.
  public var parameterBytes: Int
  /// `key=value` pairs of a query.
  public var queryItems: Int

  /// Limits for input from outside. No figure may exceed the default, which the scanner's offsets rely on.
  public init(urlBytes: Int = 2048, segments: Int = 64, parameterBytes: Int = 1024, queryItems: Int = 64) {
    precondition(urlBytes <= 2048 && segments <= 64 && queryItems <= 64, "limits may only be tightened")
    self.urlBytes = urlBytes
    self.segments = segments
    self.parameterBytes = parameterBytes
    self.queryItems = queryItems
  }
}
