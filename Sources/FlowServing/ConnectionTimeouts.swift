#if Network
  /// The time limits for clients, in seconds. A connection that exceeds a limit is closed.
  public struct ConnectionTimeouts: Sendable {
    /// The limit for receiving the headers of the first request, from the opening of the connection.
    public var headerSeconds: Int64 = 10
    /// The limit for receiving the body of a request, from the end of its headers.
    public var bodySeconds: Int64 = 30
    /// The limit for receiving the headers of another request, from the end of an answer.
    public var idleSeconds: Int64 = 30

    /// Creates the default limits: 10 s for the first headers and 30 s for everything else.
    public init() {}
  }
#endif
