#if Network
  import FlowServing
  import SyncCore

  /// How a sync server serves.
  public struct ServerSettings: Sendable {
    /// The zones by name, each with the token that opens it; nil for one that every process of this machine may use.
    public var zones: [String: ZoneToken?]
    /// Where zones and tokens are read from again when they change while the server runs.
    public var zonesFile: ZonesFile?
    /// Where it listens.
    public var host = "127.0.0.1"
    /// The port; 0 takes a free one.
    public var port = 8480
    /// A file with the server's certificate and those between it and its authority, as PEM; it is read again when it changes.
    public var certificate: String?
    /// A file with the certificate's key, as PEM.
    public var key: String?
    /// Requests in any second, for each zone (S44).
    public var requestsPerSecond = 40
    /// Whether it may listen without TLS where other machines can reach it: behind a proxy that speaks TLS.
    public var allowsPlainHTTP = false
    /// How long a client may take for each step.
    public var timeouts = Timeouts()
    /// The most connections at once.
    public var connections = 10_000
    /// The most connections at once from one address.
    public var connectionsPerPeer = 2048
    /// The most live channels at once.
    public var channels = 1000

    /// How long a client may take for each step.
    public typealias Timeouts = ConnectionTimeouts

    /// Serves these zones.
    public init(zones: [String: ZoneToken?]) { self.zones = zones }

    /// Serves zones with these tokens.
    public init(tokens: [String: String?]) { self.init(zones: tokens.mapValues { $0.map { ZoneToken($0) } }) }

    /// What makes the settings unsafe or impossible, nil when nothing does.
    public var problem: String? {
      if zones.isEmpty, zonesFile == nil { return "there is no zone to serve" }
      let isLoopback = host == "localhost" || host == "::1" || host.hasPrefix("127.")
      for (zone, token) in zones.sorted(by: { $0.key < $1.key }) {
        guard ZoneName.isWellFormed(zone) else { return "'\(zone)' is not a name for a zone: \(ZoneName.rule)" }
        guard let token else {
          if isLoopback { continue }
          return "the zone '\(zone)' has no token and '\(host)' can be reached from other machines; give it one"
        }
        if let problem = token.problem { return "the token of '\(zone)' \(problem)" }
      }
      if (certificate == nil) != (key == nil) { return "a certificate and its key belong together; give both or none" }
      if !isLoopback, certificate == nil, !allowsPlainHTTP {
        return
          "tokens and records would travel from '\(host)' in clear text; give --certificate and --key, or put a proxy with TLS in front and say --plain-http"
      }
      if !(0...65_535).contains(port) { return "the port \(port) is not one of 0 to 65535" }
      if requestsPerSecond < 1 { return "at least one request a second must be allowed" }
      if connections < 1 || connectionsPerPeer < 1 { return "at least one connection must be allowed" }
      return nil
    }
  }
#endif
