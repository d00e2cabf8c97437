#if Network
  /// How long a client may take, in seconds; a connection that takes longer is closed.
  public struct ConnectionTimeouts: Sendable {
    /// From the opening of a connection until the headers of its first request are there.
    public var headerSeconds: Int64 = 10
    /// From a request's headers until its body is there.
    public var bodySeconds: Int64 = 30
    /// From an answer until the headers of the next request are there.
    public var idleSeconds: Int64 = 30

    /// Ten seconds for the first headers, half a minute for all else.
    public init() {}
  }
#endif
