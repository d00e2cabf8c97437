#if Server
  import SyncCore

  /// How a sync server serves.
  public struct ServerSettings: Sendable {
    /// The zones by name, each with the token that opens it; nil for one that every process of this machine may use.
    public var tokens: [String: String?]
    /// Where it listens.
    public var host = "127.0.0.1"
    /// The port; 0 takes a free one.
    public var port = 8480
    /// Requests in any second, for each zone (S44).
    public var requestsPerSecond = 40
    /// Whether it may listen without TLS where other machines can reach it: behind a proxy that speaks TLS.
    public var allowsPlainHTTP = false
    /// How long a connection may send nothing while a request is awaited or read, in seconds.
    public var idleSeconds: Int64 = 30
    /// The most live channels at once.
    public var channels = 1000

    /// The shortest token.
    public static let shortestToken = 16

    /// Serves these zones.
    public init(tokens: [String: String?]) { self.tokens = tokens }

    /// What makes the settings unsafe or impossible, nil when nothing does.
    public var problem: String? {
      if tokens.isEmpty { return "there is no zone to serve" }
      let isLoopback = host == "localhost" || host == "::1" || host.hasPrefix("127.")
      for (zone, token) in tokens.sorted(by: { $0.key < $1.key }) {
        guard ZoneName.isWellFormed(zone) else { return "'\(zone)' is no name for a zone: \(ZoneName.rule)" }
        guard let token else {
          if isLoopback { continue }
          return "the zone '\(zone)' has no token and '\(host)' can be reached from other machines; give it one"
        }
        if token.utf8.count < Self.shortestToken {
          return "the token of '\(zone)' has \(token.utf8.count) characters, at least \(Self.shortestToken) are needed"
        }
      }
      if !isLoopback, !allowsPlainHTTP {
        return
          "tokens and records would travel from '\(host)' in clear text; put a proxy with TLS in front and say --plain-http"
      }
      if !(0...65_535).contains(port) { return "the port \(port) is not one of 0 to 65535" }
      if requestsPerSecond < 1 { return "at least one request a second must be allowed" }
      return nil
    }
  }
#endif
