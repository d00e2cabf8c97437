#if Network
  /// Another program listens where a server is to.
  public struct PortTaken: Error, CustomStringConvertible {
    /// Where it was to listen.
    public var host: String
    /// The port.
    public var port: Int

    /// A port of an address that is taken.
    package init(host: String, port: Int) { (self.host, self.port) = (host, port) }

    /// What is the matter and what to do.
    public var description: String { "the port \(port) on \(host) is taken; name another with --port" }
  }
#endif
