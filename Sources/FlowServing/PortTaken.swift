#if Network
  /// An error for a port on which another program listens.
  public struct PortTaken: Error, CustomStringConvertible {
    /// The address on which the server should listen.
    public var host: String
    /// The number of the port.
    public var port: Int

    /// Creates an error for a port.
    package init(host: String, port: Int) { (self.host, self.port) = (host, port) }

    /// The problem and a solution.
    public var description: String { "the port \(port) on \(host) is taken; name another with --port" }
  }
#endif
