#if Network
  /// The error for a port at which another program is listening.
  public struct PortTaken: Error, CustomStringConvertible {
    /// The address at which the server should listen.
    public var host: String
    /// The port at which the server should listen.
    public var port: Int

    /// Creates the error for a host and port.
    package init(host: String, port: Int) { (self.host, self.port) = (host, port) }

    /// The problem, and advice to choose another port.
    public var description: String { "the port \(port) on \(host) is taken; name another with --port" }
  }
#endif
