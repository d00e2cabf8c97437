#if Network
  /// The time limits of a client in seconds. A connection that exceeds one is closed.
  public struct ConnectionTimeouts: Sendable {
    /// The limit from the opening of a connection until the headers of its first request.
    public var headerSeconds: Int64 = 10
    /// The limit from the headers of a request until its body.
    public var bodySeconds: Int64 = 30
    /// The limit from an answer until the headers of the next request.
    public var idleSeconds: Int64 = 30

    /// Creates the default limits: 10 s for the first headers, 30 s for the rest.
    public init() {}
  }
#endif
